package io.weir.transport.rdma;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Registered memory is never swapped out, and the system limits how much of that a process may have. */
public final class LockedMemory {

    private static final String RAISE =
            "; raise the limit of locked memory (ulimit -l, or LimitMEMLOCK of a systemd unit), or set weir.transport.";

    /** The capability to exceed the limit, as a bit of those that a process has. */
    private static final int CAP_IPC_LOCK = 14;

    private static final String CAPABILITIES = "CapEff:";

    private LockedMemory() {}

    /**
     * Checks whether this process may lock so many bytes, as far as can be seen beforehand.
     *
     * @throws PeerUnavailable saying how to raise the limit
     */
    public static void check(String transport, long bytes) {
        long limit = limit();
        if (bytes > limit && !isUnlimited()) {
            throw new PeerUnavailable("the process may lock " + limit + " bytes of memory, and a link needs " + bytes
                    + remedy(transport));
        }
    }

    /** What can be done where memory can't be registered, to be put behind the reason. */
    public static String remedy(String transport) {
        return RAISE + transport + ".slots or .pool-size lower";
    }

    private static long limit() {
        try {
            return Posix.lockableBytes();
        } catch (NativeFailure e) {
            throw new PeerUnavailable("the limit of locked memory is unknown: " + e.getMessage(), e);
        }
    }

    private static boolean isUnlimited() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith(CAPABILITIES))
                    .map(line -> line.substring(CAPABILITIES.length()).trim())
                    .anyMatch(LockedMemory::mayExceed);
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    static boolean mayExceed(String capabilities) {
        return (Long.parseUnsignedLong(capabilities, 16) >>> CAP_IPC_LOCK & 1) == 1;
    }
}
