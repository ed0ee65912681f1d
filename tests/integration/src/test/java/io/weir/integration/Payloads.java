package io.weir.integration;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.weir.core.Message;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Memory for what tests send. Every buffer is counted, so that a test can tell exactly how many are still out. */
public final class Payloads {

    private static final AtomicLong BUFFERS = new AtomicLong();
    private static final AtomicLong BYTES = new AtomicLong();

    private Payloads() {}

    /** A buffer of this size in the Java heap, empty. */
    public static ByteBuf heap(int size) {
        taken(size);
        return new Heap(size);
    }

    /** A message with this text in such a buffer. */
    public static Message text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Message.of(heap(bytes.length).writeBytes(bytes));
    }

    /** The text of a message, which is released. */
    public static String read(Message message) {
        String text = message.text();
        message.release();
        return text;
    }

    /** A buffer of this size outside of it, empty. */
    public static ByteBuf direct(int size) {
        taken(size);
        return new Direct(size);
    }

    /** Buffers that were made and not released. */
    public static long out() {
        return BUFFERS.get();
    }

    /** Their bytes. */
    public static long bytesOut() {
        return BYTES.get();
    }

    private static void taken(int size) {
        BUFFERS.incrementAndGet();
        BYTES.addAndGet(size);
    }

    private static void released(int size) {
        BUFFERS.decrementAndGet();
        BYTES.addAndGet(-size);
    }

    private static final class Heap extends UnpooledHeapByteBuf {

        private final int size;

        Heap(int size) {
            super(UnpooledByteBufAllocator.DEFAULT, size, size);
            this.size = size;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            released(size);
        }
    }

    private static final class Direct extends UnpooledDirectByteBuf {

        private final int size;

        Direct(int size) {
            super(UnpooledByteBufAllocator.DEFAULT, size, size);
            this.size = size;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            released(size);
        }
    }

    /** Fails a test of which a payload is still out. */
    static final class Check implements BeforeEachCallback, AfterEachCallback {

        @Override
        public void beforeEach(ExtensionContext context) {
            BUFFERS.set(0);
            BYTES.set(0);
        }

        @Override
        public void afterEach(ExtensionContext context) {
            Patience.until(() -> out() + " payloads of " + bytesOut() + " bytes were not released", () -> out() == 0);
        }
    }
}
