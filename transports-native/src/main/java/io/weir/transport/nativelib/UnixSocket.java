package io.weir.transport.nativelib;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A stream socket of the Unix domain, none of whose calls waits: not even for what the other side passes over it,
 * except for {@link #receiveDescriptor}, which is for {@link SlowCalls}. The system closes what was passed to whoever
 * reads the bytes that it came with and does not take it, and that takes as long as the other side likes. So bytes are
 * looked at before they are read, and what comes with descriptors stays where it is until the socket is closed, which
 * is done among the slow calls. One thread at a time, but for {@link #ring} and {@link #close}.
 */
public final class UnixSocket {

    /** What {@link #read} returns: there is nothing. */
    public static final int NOTHING = 0;

    /** What {@link #read} returns: the other side has ended, or the connection has failed. */
    public static final int END = -1;

    /**
     * What {@link #read} returns: descriptors are there, with the next bytes or later ones, and nothing is read any
     * more.
     */
    public static final int DESCRIPTORS = -2;

    private static final int BACKLOG = 128;

    /** Bytes that are read at once, at most. */
    private static final int BYTES = 256;

    /** Its own for each thread, as a loop must not wait until there is memory for it. */
    private static final ThreadLocal<Message> MESSAGE = ThreadLocal.withInitial(Message::new);

    /** Reads after which what still comes is not waited for. */
    private static final int LAST_READS = 64;

    private final Descriptor descriptor;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** The system lets nobody pass descriptors to us. */
    private boolean refusing;

    private UnixSocket(Descriptor descriptor) {
        this.descriptor = descriptor;
    }

    /** Takes over a new socket, connected or to be connected. */
    private static UnixSocket own(Descriptor descriptor) throws NativeFailure {
        try {
            // Else bytes that were sent as urgent can't be looked at, and are dropped, with what was passed with them.
            option(descriptor, "SO_OOBINLINE", LibC.SO_OOBINLINE, 1);
            return new UnixSocket(descriptor);
        } catch (NativeFailure e) {
            SlowCalls.close(descriptor);
            throw e;
        }
    }

    private static void option(Descriptor socket, String name, int option, int value) throws NativeFailure {
        Posix.option(
                "setsockopt(" + name + ")",
                socket,
                LibC.SOL_SOCKET,
                option,
                ByteBuffer.allocate(Integer.BYTES)
                        .order(ByteOrder.nativeOrder())
                        .putInt(0, value));
    }

    /** One that is connected to nothing. */
    public static UnixSocket unconnected() throws NativeFailure {
        return own(Posix.socket(LibC.AF_UNIX, LibC.SOCK_STREAM, 0));
    }

    /** Listens at this path. */
    public static UnixSocket listen(String path) throws NativeFailure {
        UnixSocket socket = unconnected();
        try {
            Posix.bind(socket.descriptor, address(path));
            Posix.listen(socket.descriptor, BACKLOG);
            return socket;
        } catch (NativeFailure e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Connects to who listens at this path. To look for the path may take long, as it leads where the peer likes: for
     * {@link SlowCalls}.
     */
    public static UnixSocket connect(String path) throws NativeFailure {
        UnixSocket socket = unconnected();
        try {
            Posix.connect(socket.descriptor, address(path));
            return socket;
        } catch (NativeFailure e) {
            socket.close();
            throw e;
        }
    }

    private static ByteBuffer address(String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(Short.BYTES + bytes.length + 1)
                .order(ByteOrder.nativeOrder())
                .putShort(0, (short) LibC.AF_UNIX)
                .put(Short.BYTES, bytes);
    }

    /** The next one who has connected to this socket, which listens; null if there is none. */
    public @Nullable UnixSocket accept() throws NativeFailure {
        Descriptor accepted = Posix.accept(descriptor);
        return accepted == null ? null : own(accepted);
    }

    /** Its descriptor, to be watched. */
    public int number() {
        return descriptor.number();
    }

    /** Whose process is at the other end. */
    public int peerUid() throws NativeFailure {
        return Posix.peerUid(descriptor);
    }

    /**
     * Reads up to so many bytes, if no descriptors are there.
     *
     * @return how many, which {@link #bytes} has then, or {@link #NOTHING}, {@link #END} or {@link #DESCRIPTORS}
     */
    public int read(int most) {
        int wanted = Math.min(most, BYTES);
        int there = refusing ? wanted : look(wanted);
        return there > 0 ? outcome(Posix.receive(descriptor, MESSAGE.get().data(), there)) : there;
    }

    /** As {@link #read}, and all stays where it is. */
    public int look() {
        return look(BYTES);
    }

    private int look(int most) {
        Message message = MESSAGE.get();
        int seen = outcome(Posix.receiveMessage(descriptor, message.of(most, 0), LibC.MSG_PEEK));
        return seen >= 0 && message.isTruncated() ? DESCRIPTORS : seen;
    }

    private static int outcome(int received) {
        if (received == 0) {
            return END;
        }
        return received == -LibC.EAGAIN ? NOTHING : Math.max(received, END);
    }

    /** Copies what this thread has read last. */
    public static void bytes(byte[] to, int index, int length) {
        var unused = MESSAGE.get().memory.get(Message.DATA, to, index, length);
    }

    /**
     * Receives the only descriptor that the other side is to pass, with any byte; when there is one, see {@link #look}.
     * From then on the system refuses descriptors where it can, since Linux 6.16, and reading costs one call. Takes as
     * long as the other side likes: for {@link SlowCalls}.
     *
     * @return null if what came is something else
     */
    public @Nullable Descriptor receiveDescriptor() throws NativeFailure {
        Message message = MESSAGE.get();
        // With the room that fills the last word, the system would pass two.
        long address = message.of(1, Message.ONE_DESCRIPTOR);
        int received = Posix.receiveMessage(descriptor, address, LibC.MSG_CMSG_CLOEXEC);
        Descriptor passed = received > 0 ? message.descriptor() : null;
        if (passed != null && (message.isTruncated() || !refuseDescriptors())) {
            passed.close();
            return null;
        }
        return passed;
    }

    /** Returns false if some have come, or more bytes than can be. */
    private boolean refuseDescriptors() {
        try {
            option(descriptor, "SO_PASSRIGHTS", LibC.SO_PASSRIGHTS, 0);
        } catch (NativeFailure e) {
            // The system can't: then each read looks first.
            return true;
        }
        // What was passed before that, if anything, is there by now.
        for (int reads = 0; reads < LAST_READS; reads++) {
            int read = read(BYTES);
            if (read == NOTHING || read == END) {
                refusing = true;
                return true;
            }
            if (read == DESCRIPTORS) {
                return false;
            }
        }
        return false;
    }

    /** Sends a few bytes to a side to which nothing was sent that it has not read. */
    public void send(byte[] bytes) throws NativeFailure {
        Message message = MESSAGE.get();
        var unused = message.memory.put(Message.DATA, bytes);
        Posix.sendMessage(descriptor, message.of(bytes.length, 0), bytes.length);
    }

    /** Passes a descriptor, with any byte. It stays the caller's. */
    public void pass(Descriptor passed) throws NativeFailure {
        Posix.sendMessage(descriptor, MESSAGE.get().with(passed), 1);
    }

    /** Sends any byte, as {@link Posix#sendByte}. */
    public boolean ring() throws NativeFailure {
        return Posix.sendByte(descriptor);
    }

    /** Ends the connection at once, which takes no time, and closes it, among the slow calls. */
    public void close() {
        // Its number may be another's afterwards.
        if (closed.compareAndSet(false, true)) {
            Posix.shutdown(descriptor);
            SlowCalls.close(descriptor);
        }
    }

    /**
     * A {@code struct msghdr} at the beginning of this memory, its only {@code struct iovec}, the control data, and the
     * bytes.
     */
    private static final class Message {

        private static final int VECTOR = 64;
        private static final int CONTROL = 80;
        private static final int DATA = 128;

        private static final int HEADER_VECTOR = 16;
        private static final int HEADER_VECTORS = 24;
        private static final int HEADER_CONTROL = 32;
        private static final int HEADER_CONTROL_LENGTH = 40;
        private static final int HEADER_FLAGS = 48;

        /** Bytes of control data with one descriptor, without and with what fills the last word. */
        private static final int ONE_DESCRIPTOR = 20;

        private static final int ROOM_FOR_ONE = 24;

        final ByteBuffer memory = Structures.allocate(DATA + BYTES);
        private final long address = Structures.address(memory);

        Message() {
            memory.putLong(HEADER_VECTOR, address + VECTOR)
                    .putLong(HEADER_VECTORS, 1)
                    .putLong(VECTOR, address + DATA);
        }

        long data() {
            return address + DATA;
        }

        /** The address of one with so many bytes and so much room for control data, in which nothing is. */
        long of(int bytes, int control) {
            memory.putLong(VECTOR + Long.BYTES, bytes)
                    .putLong(HEADER_CONTROL, control == 0 ? 0 : address + CONTROL)
                    .putLong(HEADER_CONTROL_LENGTH, control)
                    .putInt(HEADER_FLAGS, 0)
                    .putLong(CONTROL, 0);
            return address;
        }

        /** The address of one with this descriptor, and any byte. */
        long with(Descriptor passed) {
            long prepared = of(1, ROOM_FOR_ONE);
            memory.putLong(CONTROL, ONE_DESCRIPTOR)
                    .putInt(CONTROL + 8, LibC.SOL_SOCKET)
                    .putInt(CONTROL + 12, LibC.SCM_RIGHTS)
                    .putInt(CONTROL + 16, passed.number());
            return prepared;
        }

        /** What was received came with more than there was room for. */
        boolean isTruncated() {
            return (memory.getInt(HEADER_FLAGS) & LibC.MSG_CTRUNC) != 0;
        }

        /** The one that was received, null if there is none. */
        @Nullable
        Descriptor descriptor() {
            boolean there = memory.getLong(CONTROL) == ONE_DESCRIPTOR
                    && memory.getInt(CONTROL + 8) == LibC.SOL_SOCKET
                    && memory.getInt(CONTROL + 12) == LibC.SCM_RIGHTS;
            return there ? Descriptor.own(memory.getInt(CONTROL + 16)) : null;
        }
    }
}
