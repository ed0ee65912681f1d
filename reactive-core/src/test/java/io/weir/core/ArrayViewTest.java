package io.weir.core;

class ArrayViewTest extends ContentViewTest {

    @Override
    ContentView over(byte[] array) {
        return new ArrayView(array);
    }
}
