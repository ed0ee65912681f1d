package io.weir.transport.nativelib;

import com.kenai.jffi.Library;
import io.weir.core.TransportSettings;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import jnr.ffi.LastError;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.jspecify.annotations.Nullable;

/**
 * The system calls of Linux that adapters need. This is the one place where its error numbers become a
 * {@link NativeFailure}. The library is loaded by the first call of {@link #missing}, without which nothing else here
 * may be used. Thread-safe.
 */
public final class Posix {

    /** What {@link #sendByte} sends, which nobody looks at. */
    private static final ByteBuffer BYTE = Structures.allocate(1);

    private static final long BYTE_ADDRESS = Structures.address(BYTE);

    private Posix() {}

    /**
     * Why these calls can't be used here, as a sentence, or null if they can. The first call loads jnr-ffi, which takes
     * some 200 ms: never on a loop.
     */
    public static @Nullable String missing(TransportSettings settings) {
        if (!settings.nativeAllowed()) {
            return "native code is switched off (weir.native=off)";
        }
        String os = System.getProperty("os.name", "");
        if (!os.toLowerCase(Locale.ROOT).startsWith("linux")) {
            return "it needs Linux, and this is " + os;
        }
        return Loaded.FAILURE;
    }

    /**
     * A new memory file of this length, open for sealing. It has no memory yet: whoever touches what was not
     * {@link #allocate allocated} takes some, and gets a signal if there is none. The name is for people only.
     */
    public static Descriptor memoryFile(String name, long length) throws NativeFailure {
        LibC libc = libc();
        int flags = LibC.MFD_CLOEXEC | LibC.MFD_ALLOW_SEALING;
        int fd = libc.memfd_create(name, flags | LibC.MFD_NOEXEC_SEAL);
        if (fd < 0 && lastError(libc) == LibC.EINVAL) {
            fd = libc.memfd_create(name, flags);
        }
        Descriptor file = Descriptor.own(check("memfd_create", fd));
        try {
            int unused = check("ftruncate to " + length + " bytes", libc.ftruncate(fd, length));
            return file;
        } catch (NativeFailure e) {
            file.close();
            throw e;
        }
    }

    /** Gives memory to this part of the file, within its length, without changing what is there already. */
    public static void allocate(Descriptor file, long offset, long length) throws NativeFailure {
        LibC libc = libc();
        int error;
        do {
            error = libc.posix_fallocate(file.number(), offset, length);
        } while (error == LibC.EINTR);
        if (error != 0) {
            throw failure("posix_fallocate of " + length + " bytes", error);
        }
    }

    /** Fixes the length of this memory file for ever. */
    public static void seal(Descriptor file) throws NativeFailure {
        int seals = LibC.F_SEAL_SHRINK | LibC.F_SEAL_GROW | LibC.F_SEAL_SEAL;
        int unused = check("fcntl(F_ADD_SEALS)", libc().fcntl(file.number(), LibC.F_ADD_SEALS, seals));
    }

    /** Whether the length of this file is fixed for ever; false also for what is not a memory file. */
    public static boolean isSealed(Descriptor file) {
        int wanted = LibC.F_SEAL_SHRINK | LibC.F_SEAL_GROW;
        int seals = libc().fcntl(file.number(), LibC.F_GET_SEALS, 0);
        return seals >= 0 && (seals & wanted) == wanted;
    }

    /** The file's length in bytes. */
    public static long length(Descriptor file) throws NativeFailure {
        LibC libc = libc();
        long length = libc.lseek(file.number(), 0, LibC.SEEK_END);
        if (length < 0) {
            throw failure("lseek", lastError(libc));
        }
        return length;
    }

    /** Maps this file from its beginning, for reading and writing. The caller is its first holder. */
    public static Mapping map(Descriptor file, int length) throws NativeFailure {
        LibC libc = libc();
        int protection = LibC.PROT_READ | LibC.PROT_WRITE;
        Pointer start = libc.mmap(null, length, protection, LibC.MAP_SHARED, file.number(), 0);
        if (start == null || start.address() == LibC.MAP_FAILED) {
            throw failure("mmap of " + length + " bytes", lastError(libc));
        }
        return new Mapping(start.address(), length);
    }

    /** Ordinary memory of its own pages, zeroed. The caller is its first holder. */
    public static Mapping memory(int length) throws NativeFailure {
        LibC libc = libc();
        int protection = LibC.PROT_READ | LibC.PROT_WRITE;
        Pointer start = libc.mmap(null, length, protection, LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS, -1, 0);
        if (start == null || start.address() == LibC.MAP_FAILED) {
            throw failure("mmap of " + length + " bytes", lastError(libc));
        }
        return new Mapping(start.address(), length);
    }

    static void unmap(long address, long length) {
        LibC libc = libc();
        Pointer start = Pointer.wrap(Runtime.getRuntime(libc), address);
        if (libc.munmap(start, length) != 0) {
            throw new IllegalStateException(failure("munmap", lastError(libc)));
        }
    }

    /** A new event descriptor that never blocks. */
    public static Descriptor event() throws NativeFailure {
        return Descriptor.own(check("eventfd", libc().eventfd(0, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK)));
    }

    /** Makes an event descriptor readable. One whose count is full is readable already. */
    public static void signal(Descriptor event) throws NativeFailure {
        LibC libc = libc();
        if (libc.eventfd_write(event.number(), 1) != 0) {
            int error = lastError(libc);
            if (error != LibC.EAGAIN) {
                throw failure("eventfd_write", error);
            }
        }
    }

    /** Makes an event descriptor unreadable until it is signalled again. */
    public static void clear(Descriptor event) throws NativeFailure {
        LibC libc = libc();
        if (libc.eventfd_read(event.number(), new long[1]) != 0) {
            int error = lastError(libc);
            if (error != LibC.EAGAIN) {
                throw failure("eventfd_read", error);
            }
        }
    }

    /**
     * Sends any byte. Never waits, whatever flags somebody has set for the socket: if there is no room, the other side
     * has bytes to read. Returns false if there is no other side any more.
     */
    public static boolean sendByte(Descriptor socket) throws NativeFailure {
        LibC libc = libc();
        int flags = LibC.MSG_DONTWAIT | LibC.MSG_NOSIGNAL;
        int error = libc.send(socket.number(), BYTE_ADDRESS, 1, flags) < 0 ? lastError(libc) : 0;
        return switch (error) {
            case 0, LibC.EAGAIN -> true;
            case LibC.EPIPE, LibC.ECONNRESET, LibC.ENOTCONN -> false;
            default -> throw failure("send", error);
        };
    }

    /** Makes reading from this descriptor return at once; it stays the caller's. */
    public static void neverBlock(int descriptor) throws NativeFailure {
        LibC libc = libc();
        int flags = check("fcntl(F_GETFL)", libc.fcntl(descriptor, LibC.F_GETFL, 0));
        int unused = check("fcntl(F_SETFL)", libc.fcntl(descriptor, LibC.F_SETFL, flags | LibC.O_NONBLOCK));
    }

    /** Waits until one of both can be read from, or has an error to tell: on a thread that has nothing else to do. */
    public static void awaitReadable(int one, int other) throws NativeFailure {
        LibC libc = libc();
        ByteBuffer descriptors = Structures.allocate(2 * LibC.POLLFD);
        descriptors.putInt(0, one).putShort(4, (short) LibC.POLLIN);
        descriptors.putInt(LibC.POLLFD, other).putShort(LibC.POLLFD + 4, (short) LibC.POLLIN);
        while (libc.poll(descriptors, 2, -1) < 0) {
            int error = lastError(libc);
            if (error != LibC.EINTR) {
                throw failure("poll", error);
            }
        }
    }

    /** A new socket that never blocks. */
    public static Descriptor socket(int family, int type, int protocol) throws NativeFailure {
        int flags = LibC.SOCK_NONBLOCK | LibC.SOCK_CLOEXEC;
        return Descriptor.own(check("socket", libc().socket(family, type | flags, protocol)));
    }

    /** Gives a socket its address, the whole of this buffer. */
    public static void bind(Descriptor socket, ByteBuffer address) throws NativeFailure {
        int unused = check("bind", libc().bind(socket.number(), address, address.capacity()));
    }

    /** Has a socket listen, with so many connections at most that nobody has accepted. */
    public static void listen(Descriptor socket, int backlog) throws NativeFailure {
        int unused = check("listen", libc().listen(socket.number(), backlog));
    }

    /** Ends the connection of a socket for both sides, which stays open. Whether it had one does not matter. */
    public static void shutdown(Descriptor socket) {
        var unused = libc().shutdown(socket.number(), LibC.SHUT_RDWR);
    }

    /** The next connection to a socket that listens, which never blocks; null if there is none. */
    public static @Nullable Descriptor accept(Descriptor socket) throws NativeFailure {
        LibC libc = libc();
        int accepted = libc.accept4(socket.number(), null, null, LibC.SOCK_NONBLOCK | LibC.SOCK_CLOEXEC);
        if (accepted >= 0) {
            return Descriptor.own(accepted);
        }
        int error = lastError(libc);
        if (error == LibC.EAGAIN) {
            return null;
        }
        throw failure("accept", error);
    }

    /** Connects a socket to an address, the whole of this buffer. */
    public static void connect(Descriptor socket, ByteBuffer address) throws NativeFailure {
        int unused = check("connect", libc().connect(socket.number(), address, address.capacity()));
    }

    /** Sets an option of a socket to the whole of this buffer. The call's name is for people only. */
    public static void option(String call, Descriptor socket, int level, int option, ByteBuffer value)
            throws NativeFailure {
        int unused = check(call, libc().setsockopt(socket.number(), level, option, value, value.capacity()));
    }

    /** What has happened to a socket, its error number, which is forgotten then; 0 if nothing has. */
    public static int takeError(Descriptor socket) throws NativeFailure {
        ByteBuffer error = Structures.allocate(Integer.BYTES);
        int unused = check(
                "getsockopt(SO_ERROR)",
                libc().getsockopt(socket.number(), LibC.SOL_SOCKET, LibC.SO_ERROR, error, new int[] {Integer.BYTES}));
        return error.getInt(0);
    }

    /** Whose process is at the other end of a Unix-domain socket. */
    static int peerUid(Descriptor socket) throws NativeFailure {
        ByteBuffer credentials = ByteBuffer.allocate(3 * Integer.BYTES).order(ByteOrder.nativeOrder());
        int unused = check(
                "getsockopt(SO_PEERCRED)",
                libc().getsockopt(socket.number(), LibC.SOL_SOCKET, LibC.SO_PEERCRED, credentials, new int[] {
                    credentials.capacity()
                }));
        return credentials.getInt(Integer.BYTES);
    }

    /**
     * Takes up to so many bytes from a socket, without waiting. Returns how many, 0 at the end, or an error as a
     * negative number.
     */
    static int receive(Descriptor socket, long address, int length) {
        LibC libc = libc();
        int received = libc.recv(socket.number(), address, length, LibC.MSG_DONTWAIT);
        return received >= 0 ? received : -lastError(libc);
    }

    /** As {@link #receive}, of the message whose {@code struct msghdr} lies at this address. */
    static int receiveMessage(Descriptor socket, long message, int flags) {
        LibC libc = libc();
        int received = (int) libc.recvmsg(socket.number(), message, flags | LibC.MSG_DONTWAIT);
        return received >= 0 ? received : -lastError(libc);
    }

    /**
     * Sends so many bytes, the message whose {@code struct msghdr} lies at this address, without waiting, all of it or
     * in vain.
     */
    static void sendMessage(Descriptor socket, long message, int length) throws NativeFailure {
        int flags = LibC.MSG_DONTWAIT | LibC.MSG_NOSIGNAL;
        if (check("sendmsg", (int) libc().sendmsg(socket.number(), message, flags)) != length) {
            throw failure("sendmsg", LibC.EAGAIN);
        }
    }

    /** Asks a driver something; the call's name is for people only. Returns what it says. */
    public static int control(String call, Descriptor descriptor, long request, ByteBuffer argument)
            throws NativeFailure {
        return check(call, libc().ioctl(descriptor.number(), request, argument));
    }

    /**
     * Sends messages, whose {@code struct mmsghdr} lie at this address, without waiting. Returns how many the system
     * has taken, or its error as a negative number if it has taken none.
     */
    public static int sendMessages(int socket, long messages, int count) {
        LibC libc = libc();
        int sent = libc.sendmmsg(socket, messages, count, LibC.MSG_DONTWAIT);
        return sent >= 0 ? sent : -lastError(libc);
    }

    /** How many bytes this process may keep from being swapped out, {@link Long#MAX_VALUE} if there is no limit. */
    public static long lockableBytes() throws NativeFailure {
        long[] limits = new long[2];
        int unused = check("getrlimit(RLIMIT_MEMLOCK)", libc().getrlimit(LibC.RLIMIT_MEMLOCK, limits));
        return limits[0] == LibC.RLIM_INFINITY ? Long.MAX_VALUE : limits[0];
    }

    /** What the system says of the last call of a library that went wrong on this thread: its number. */
    public static int lastError() {
        return lastError(libc());
    }

    /** The system's own words for an error, and its number. */
    public static String words(int error) {
        return libc().strerror(error) + " (error " + error + ")";
    }

    /** Where this function of the C library begins, for a library that calls it. */
    public static long address(String function) {
        Library library = Library.getCachedInstance("libc.so.6", Library.LAZY | Library.LOCAL);
        long address = library == null ? 0 : library.getSymbolAddress(function);
        if (address == 0) {
            throw new IllegalStateException("the C library has no " + function);
        }
        return address;
    }

    /** The user whose rights we have. */
    public static int uid() {
        return libc().geteuid();
    }

    static void close(int fd) {
        // The descriptor is gone whatever close says, and there is nothing of ours that it could fail to write.
        int ignored = libc().close(fd);
    }

    private static LibC libc() {
        LibC libc = Loaded.LIBC;
        if (libc == null) {
            throw new IllegalStateException(Loaded.FAILURE);
        }
        return libc;
    }

    private static int check(String call, int result) throws NativeFailure {
        if (result < 0) {
            throw failure(call, lastError(libc()));
        }
        return result;
    }

    private static int lastError(LibC libc) {
        return LastError.getLastError(Runtime.getRuntime(libc));
    }

    private static NativeFailure failure(String call, int error) {
        return new NativeFailure(call + ": " + words(error), error);
    }

    /** Loads on first use, so that a process without an adapter that needs it never pays for it. */
    private static final class Loaded {

        static final @Nullable LibC LIBC;
        static final @Nullable String FAILURE;

        static {
            LibC libc = null;
            String failure = null;
            try {
                libc = LibraryLoader.create(LibC.class).failImmediately().load("c");
                int ignored = libc.geteuid();
            } catch (RuntimeException | LinkageError e) {
                libc = null;
                failure = "the C library can't be called through jnr-ffi on " + System.getProperty("os.arch") + ": "
                        + e.getMessage();
            }
            LIBC = libc;
            FAILURE = failure;
        }
    }
}
