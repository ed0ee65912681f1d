package io.weir.transport.p4sock;

/** The fuzzer's bytes, read as what is to be done next. Behind the end all are zero. */
final class Script {

    private final byte[] bytes;
    private int at;

    Script(byte[] bytes) {
        this.bytes = bytes;
    }

    boolean hasMore() {
        return at < bytes.length;
    }

    /** From 0 to 255. */
    int next() {
        return at < bytes.length ? bytes[at++] & 0xff : 0;
    }

    /** From -128 to 127. */
    int signed() {
        return (byte) next();
    }
}
