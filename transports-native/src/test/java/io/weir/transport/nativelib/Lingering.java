package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jnr.ffi.LibraryLoader;

/** A TCP connection whose last close takes an hour, as the other end reads nothing; until this is closed. */
public final class Lingering implements AutoCloseable {

    private static final int SO_LINGER = 13;
    private static final int MSG_OOB = 1;
    private static final int AN_HOUR = 3_600;

    private static final LibC LIBC = LibraryLoader.create(LibC.class).load("c");

    private final Descriptor near;
    private final Socket far;

    public Lingering() {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            near = Descriptor.own(LIBC.socket(LibC.AF_INET, LibC.SOCK_STREAM | LibC.SOCK_CLOEXEC, 0));
            ByteBuffer address = ByteBuffer.allocate(16)
                    .order(ByteOrder.nativeOrder())
                    .putShort(0, (short) LibC.AF_INET)
                    .order(ByteOrder.BIG_ENDIAN)
                    .putShort(2, (short) listener.getLocalPort())
                    .put(4, InetAddress.getLoopbackAddress().getAddress());
            assertThat(LIBC.connect(near.number(), address, address.capacity())).isZero();
            far = listener.accept();
            Posix.option(
                    "setsockopt(SO_LINGER)",
                    near,
                    LibC.SOL_SOCKET,
                    SO_LINGER,
                    ByteBuffer.allocate(8)
                            .order(ByteOrder.nativeOrder())
                            .putInt(0, 1)
                            .putInt(4, AN_HOUR));
            ByteBuffer some = Structures.allocate(1 << 16);
            long bytes = Structures.address(some);
            while (LIBC.send(near.number(), bytes, some.capacity(), LibC.MSG_DONTWAIT) > 0) {
                // Until there is no room.
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** To be passed. Nobody here closes it last before {@link #letGo}. */
    public Descriptor descriptor() {
        return near;
    }

    /**
     * Passes it behind others in one message with one byte, as urgent or not. Returns false if the system refuses it.
     */
    public boolean passTo(int socket, boolean urgent, Descriptor... before) {
        int count = before.length + 1;
        int length = 16 + 4 * count;
        ByteBuffer memory = Structures.allocate(128 + 16 + 4 * count + 8);
        long address = Structures.address(memory);
        memory.putLong(16, address + 64)
                .putLong(24, 1)
                .putLong(32, address + 128)
                .putLong(40, (length + 7) & ~7)
                .putLong(64, address)
                .putLong(72, 1)
                .putLong(128, length)
                .putInt(136, LibC.SOL_SOCKET)
                .putInt(140, LibC.SCM_RIGHTS);
        for (int i = 0; i < count; i++) {
            memory.putInt(144 + 4 * i, (i < before.length ? before[i] : near).number());
        }
        return LIBC.sendmsg(socket, address, LibC.MSG_NOSIGNAL | (urgent ? MSG_OOB : 0)) == 1;
    }

    /** Closes our reference: if it was passed, whoever has it closes it last. */
    public void letGo() {
        near.close();
    }

    /** Nothing is left to be waited for. */
    @Override
    public void close() {
        try {
            far.setSoLinger(true, 0);
            far.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        near.close();
    }
}
