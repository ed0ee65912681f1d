package io.weir.transport.p4sock;

import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether the kernel has ParaStation's own protocol family, which spoke this protocol. It took a number that belongs to
 * TIPC today, so that only what it answers tells: the number of a node.
 */
final class KernelFamily {

    private static final int PF_P4S = 30;
    private static final int ANY_TYPE = 0;
    private static final long P4_GETNODEID = 0x3404;

    private KernelFamily() {}

    /**
     * Where the module shows its numbers. Without it nobody is asked: that alone would have the kernel load what has
     * the family's number today.
     */
    private static final Path SHOWN = Path.of("/proc/sys/ps4");

    /** A remark on it for people, which can be put behind a sentence; empty if it is not there. */
    static String remark() {
        if (Files.notExists(SHOWN)) {
            return "";
        }
        try (Descriptor socket = Posix.socket(PF_P4S, ANY_TYPE, 0)) {
            int node = Posix.control("ioctl(P4_GETNODEID)", socket, P4_GETNODEID, Structures.allocate(Long.BYTES));
            return ", beside ParaStation's own module (node " + node + "), whose connections are left alone";
        } catch (NativeFailure e) {
            return "";
        }
    }
}
