package io.weir.transport.nativelib;

import java.nio.ByteBuffer;
import jnr.ffi.Pointer;
import jnr.ffi.annotations.Out;
import jnr.ffi.types.off_t;
import jnr.ffi.types.size_t;
import jnr.ffi.types.ssize_t;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the Linux C library that adapters need, under its own names. The numbers are those of x86-64 and
 * aarch64. Public because jnr-ffi implements it from another class loader; {@link Posix} is what adapters use.
 */
public interface LibC {

    int MFD_CLOEXEC = 1;
    int MFD_ALLOW_SEALING = 2;
    /** Since Linux 6.3; some systems refuse a memfd without it. */
    int MFD_NOEXEC_SEAL = 8;

    int F_GETFL = 3;
    int F_SETFL = 4;
    int F_ADD_SEALS = 1033;
    int F_GET_SEALS = 1034;
    int O_NONBLOCK = 0x800;

    int F_SEAL_SEAL = 1;
    int F_SEAL_SHRINK = 2;
    int F_SEAL_GROW = 4;

    int PROT_READ = 1;
    int PROT_WRITE = 2;
    int MAP_SHARED = 1;
    int MAP_PRIVATE = 2;
    int MAP_ANONYMOUS = 0x20;
    long MAP_FAILED = -1;

    int SEEK_END = 2;

    int EFD_CLOEXEC = 0x80000;
    int EFD_NONBLOCK = O_NONBLOCK;

    int RLIMIT_MEMLOCK = 8;
    long RLIM_INFINITY = -1;

    int POLLIN = 1;
    /** Bytes of a {@code struct pollfd}: the descriptor (32), what is asked (16), what has come (16). */
    int POLLFD = 8;

    int AF_UNIX = 1;
    int AF_INET = 2;
    int AF_PACKET = 17;
    int SHUT_RDWR = 2;
    int SOCK_STREAM = 1;
    int SOCK_DGRAM = 2;
    int SOCK_RAW = 3;
    int SOCK_NONBLOCK = O_NONBLOCK;
    int SOCK_CLOEXEC = 0x80000;

    int SOL_SOCKET = 1;
    int SO_ERROR = 4;
    int SO_OOBINLINE = 10;
    int SO_PEERCRED = 17;
    int SO_ATTACH_FILTER = 26;
    /** Since Linux 6.16. */
    int SO_PASSRIGHTS = 83;

    int SCM_RIGHTS = 1;

    int MSG_PEEK = 2;
    int MSG_CTRUNC = 8;
    int MSG_DONTWAIT = 0x40;
    int MSG_NOSIGNAL = 0x4000;
    int MSG_CMSG_CLOEXEC = 0x40000000;

    int EPERM = 1;
    int EINTR = 4;
    int EAGAIN = 11;
    int EACCES = 13;
    int ENODEV = 19;
    int EINVAL = 22;
    int EPIPE = 32;
    int EMSGSIZE = 90;
    int EADDRINUSE = 98;
    int ENETDOWN = 100;
    int ECONNRESET = 104;
    int ENOBUFS = 105;
    int ENOTCONN = 107;

    int memfd_create(String name, int flags);

    int ftruncate(int fd, @off_t long length);

    /** Returns the error instead of setting it. */
    int posix_fallocate(int fd, @off_t long offset, @off_t long length);

    /** Takes and gives pointers because jnr-ffi 2.3.4 loses the sixth argument of a call that has numbers only. */
    @Nullable
    Pointer mmap(@Nullable Pointer address, @size_t long length, int protection, int flags, int fd, @off_t long offset);

    int munmap(Pointer address, @size_t long length);

    int fcntl(int fd, int command, int argument);

    @off_t
    long lseek(int fd, @off_t long offset, int whence);

    int eventfd(int initial, int flags);

    int eventfd_write(int fd, long value);

    int eventfd_read(int fd, @Out long[] value);

    int close(int fd);

    int geteuid();

    /** Writes two words: the limit, and the highest that it may be raised to. */
    int getrlimit(int resource, @Out long[] limits);

    int poll(ByteBuffer descriptors, long count, int milliseconds);

    int socket(int family, int type, int protocol);

    int bind(int fd, ByteBuffer address, int length);

    int listen(int fd, int backlog);

    int shutdown(int fd, int how);

    /** The address and its length may be null. */
    int accept4(int fd, @Nullable ByteBuffer address, @Nullable ByteBuffer length, int flags);

    int connect(int fd, ByteBuffer address, int length);

    int setsockopt(int fd, int level, int option, ByteBuffer value, int length);

    int getsockopt(int fd, int level, int option, ByteBuffer value, int[] length);

    /** Variadic in C; on both machines such a function takes whole numbers where any other does. */
    int ioctl(int fd, long request, ByteBuffer argument);

    /** Takes an address, as {@link #sendmmsg}. */
    int send(int fd, long bytes, @size_t long length, int flags);

    /** Takes an address, as {@link #sendmmsg}. */
    int recv(int fd, long bytes, @size_t long length, int flags);

    /** Takes the address of a {@code struct msghdr}, as {@link #sendmmsg}. */
    @ssize_t
    long sendmsg(int fd, long message, int flags);

    /** Takes the address of a {@code struct msghdr}, as {@link #sendmmsg}. */
    @ssize_t
    long recvmsg(int fd, long message, int flags);

    /** Takes an address, so that what lies there can be filled in once and used again. */
    int sendmmsg(int fd, long messages, int count, int flags);

    String strerror(int error);
}
