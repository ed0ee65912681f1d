package io.weir.transport.p4sock;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * A packet socket (packet(7)) for one type of frames on one interface, and the ring that it receives into. The ring
 * needs no right but that to the socket; an ordinary receive buffer would be too short without another one. Belongs to
 * the loop's thread.
 */
final class PacketSocket {

    private static final int SOL_PACKET = 263;
    private static final int PACKET_RX_RING = 5;
    private static final int PACKET_VERSION = 10;
    private static final int PACKET_QDISC_BYPASS = 20;
    private static final int TPACKET_V2 = 1;
    private static final int SOCKADDR_LL = 20;

    private static volatile boolean allowed;

    private final Descriptor descriptor;
    private final PacketRing ring;

    private PacketSocket(Descriptor descriptor, PacketRing ring) {
        this.descriptor = descriptor;
        this.ring = ring;
    }

    /**
     * Opens one.
     *
     * @param type of the frames, as Ethernet has it
     * @throws PeerUnavailable saying what the system refuses, and the remedy
     */
    static PacketSocket open(EtherInterface on, int type, PacketRing.Layout layout, FrameFilter filter) {
        Descriptor made = null;
        try {
            made = Posix.socket(LibC.AF_PACKET, LibC.SOCK_RAW, 0);
            Posix.option("setsockopt(PACKET_VERSION)", made, SOL_PACKET, PACKET_VERSION, number(TPACKET_V2));
            Posix.option("setsockopt(PACKET_RX_RING)", made, SOL_PACKET, PACKET_RX_RING, request(layout));
            Posix.option("setsockopt(PACKET_QDISC_BYPASS)", made, SOL_PACKET, PACKET_QDISC_BYPASS, number(1));
            attach(made, filter);
            PacketRing ring = new PacketRing(Posix.map(made, layout.bytes()), layout);
            PacketSocket socket = new PacketSocket(made, ring);
            try {
                Posix.bind(made, address(on.index(), type));
            } catch (NativeFailure e) {
                ring.close();
                throw e;
            }
            return socket;
        } catch (NativeFailure e) {
            if (made != null) {
                made.close();
            }
            throw new PeerUnavailable(words(on, e), e);
        }
    }

    /**
     * What keeps this process from opening any, as a sentence; null if nothing does. Asks the system once if it is
     * allowed.
     */
    static @Nullable String refusal() {
        if (allowed) {
            return null;
        }
        try {
            Posix.socket(LibC.AF_PACKET, LibC.SOCK_RAW, 0).close();
            allowed = true;
            return null;
        } catch (NativeFailure e) {
            return isRefused(e) ? notAllowed(e) : "the system has no packet sockets: " + e.getMessage();
        }
    }

    private static boolean isRefused(NativeFailure failure) {
        return failure.error() == LibC.EPERM || failure.error() == LibC.EACCES;
    }

    private static String words(EtherInterface on, NativeFailure failure) {
        return isRefused(failure)
                ? notAllowed(failure)
                : "the interface " + on.name() + " can't be used: " + failure.getMessage();
    }

    private static String notAllowed(NativeFailure failure) {
        return "this process may not send and receive Ethernet frames (" + failure.getMessage()
                + "): give it the capability CAP_NET_RAW, as AmbientCapabilities=CAP_NET_RAW of a service,"
                + " --cap-add=NET_RAW of a container, or setcap cap_net_raw+ep on the java binary";
    }

    private static ByteBuffer number(int value) {
        return Structures.allocate(Integer.BYTES).putInt(0, value);
    }

    private static ByteBuffer request(PacketRing.Layout layout) {
        return Structures.allocate(4 * Integer.BYTES)
                .putInt(0, layout.blockBytes())
                .putInt(4, layout.blocks())
                .putInt(8, layout.slotBytes())
                .putInt(12, layout.slots());
    }

    private static ByteBuffer address(int index, int type) {
        ByteBuffer bytes = Structures.allocate(SOCKADDR_LL);
        bytes.putShort(0, (short) LibC.AF_PACKET);
        bytes.order(ByteOrder.BIG_ENDIAN).putShort(2, (short) type);
        bytes.order(ByteOrder.nativeOrder()).putInt(4, index);
        return bytes;
    }

    private static void attach(Descriptor socket, FrameFilter filter) throws NativeFailure {
        ByteBuffer instructions = filter.instructions();
        try {
            Posix.option(
                    "setsockopt(SO_ATTACH_FILTER)",
                    socket,
                    LibC.SOL_SOCKET,
                    LibC.SO_ATTACH_FILTER,
                    filter.description(instructions));
        } finally {
            // The kernel has copied it; until then nobody may collect it.
            Reference.reachabilityFence(instructions);
        }
    }

    /** Receives what this lets through, from now on. */
    void filter(FrameFilter filter) {
        try {
            attach(descriptor, filter);
        } catch (NativeFailure e) {
            throw new PeerUnavailable("the filter of a packet socket can't be changed: " + e.getMessage(), e);
        }
    }

    PacketRing ring() {
        return ring;
    }

    int number() {
        return descriptor.number();
    }

    /** What has happened to it, as the system's number; 0 if nothing has. */
    int takeError() {
        try {
            return Posix.takeError(descriptor);
        } catch (NativeFailure e) {
            return e.error();
        }
    }

    void close() {
        descriptor.close();
        ring.close();
    }
}
