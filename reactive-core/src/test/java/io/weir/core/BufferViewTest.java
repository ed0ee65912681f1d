package io.weir.core;

import io.netty.buffer.Unpooled;

class BufferViewTest extends ContentViewTest {

    @Override
    ContentView over(byte[] array) {
        return BufferView.toWrite(Unpooled.wrappedBuffer(array));
    }
}
