package io.weir.transport.p4sock;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Blocks of indices, so that no two processes of a host take the same. Who has one is bound to an address of its name
 * in the system's abstract namespace for sockets, of which each network namespace has its own, as it has its
 * interfaces; the system takes it back from whoever dies.
 */
final class Blocks {

    private static final int ALL = FrameFormat.INDICES / FrameFilter.BLOCK;

    /**
     * One that is held.
     *
     * @param number of the block; its first index is that many times {@link FrameFilter#BLOCK}
     */
    record Held(int number, Descriptor socket) implements AutoCloseable {

        int firstIndex() {
            return number * FrameFilter.BLOCK;
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    private Blocks() {}

    /**
     * Takes one that nobody has.
     *
     * @throws PeerUnavailable if there is none
     */
    static Held take(EtherInterface on) {
        try {
            // One that does not listen: anybody may send to a datagram socket, and what was passed to it is closed with
            // it.
            Descriptor socket = Posix.socket(LibC.AF_UNIX, LibC.SOCK_STREAM, 0);
            // Begins anywhere: whoever had an index before may still be answered.
            int begin = ThreadLocalRandom.current().nextInt(ALL);
            for (int i = 0; i < ALL; i++) {
                int number = (begin + i) % ALL;
                if (bind(socket, "weir-p4sock-" + on.index() + '-' + number)) {
                    return new Held(number, socket);
                }
            }
            socket.close();
            throw new PeerUnavailable("all " + FrameFormat.INDICES + " connections of the interface " + on.name()
                    + " are taken on this host");
        } catch (NativeFailure e) {
            throw new PeerUnavailable(
                    "no connection can be had on the interface " + on.name() + ": " + e.getMessage(), e);
        }
    }

    private static boolean bind(Descriptor socket, String name) throws NativeFailure {
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer address = Structures.allocate(Short.BYTES + 1 + text.length);
        address.putShort(0, (short) LibC.AF_UNIX).put(Short.BYTES + 1, text);
        try {
            Posix.bind(socket, address);
            return true;
        } catch (NativeFailure e) {
            if (e.error() == LibC.EADDRINUSE) {
                return false;
            }
            socket.close();
            throw e;
        }
    }
}
