package io.weir.transport.shm;

import io.netty.channel.epoll.Epoll;
import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.Misconfigured;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.RareLog;
import io.weir.core.RuntimeFolder;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The path {@code shm}: memory shared between two processes of one user on one host, without a system call or a copy
 * where both are awake and the payload lies in a block of the link's allocator.
 *
 * <p>Options: {@code ring-size} (4m; a power of two from 64k to 64m), {@code pool-size} (8m; a multiple of 16k from 64k
 * to 1g) of what this side sends through; {@code copy-in} (off): copies received blocks at once, so that the peer can't
 * change a payload that was already checked. Without it, a payload of more than 2 KiB may be seen to change if the peer
 * misbehaves; {@code memory} (4g): what the links of a node may make together.
 */
public final class ShmTransport implements Transport {

    static final String NAME = "shm";

    private final MemoryBudget budget = new MemoryBudget();
    private final RareLog warnings = new RareLog(LoggerFactory.getLogger(ShmTransport.class), System::nanoTime);

    /** Its users are the ServiceLoader and tests. */
    public ShmTransport() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return ShmOptions.NAMES;
    }

    /**
     * Tries with a small segment whether the system allows everything that a link needs, and whether the run-time
     * folder is ours alone.
     */
    @Override
    public Availability availability(TransportSettings settings) {
        ShmOptions unused = ShmOptions.of(settings);
        String missing = Posix.missing(settings);
        if (missing == null) {
            missing = Structures.missing("the C library");
        }
        if (missing != null) {
            return new Availability.Missing(missing);
        }
        if (!Epoll.isAvailable()) {
            return new Availability.Missing(noEpoll());
        }
        String unusable = unusableFolder(settings.runtimeFolder());
        if (unusable != null) {
            return new Availability.Missing(unusable);
        }
        return attempt(new SegmentLayout(SegmentLayout.MIN_RING, SegmentLayout.MIN_POOL));
    }

    private static String noEpoll() {
        String processor = System.getProperty("os.arch");
        String reason = "Netty's epoll library can't be loaded on " + processor + ": " + Epoll.unavailabilityCause();
        String suffix = Map.of("amd64", "x86_64", "aarch64", "aarch_64").get(processor);
        String library = "io.netty.transport.epoll.linux." + suffix;
        // This module has only the library, so no other module requires it.
        boolean isLeftOut = suffix != null
                && Epoll.class.getModule().isNamed()
                && ModuleLayer.boot().findModule(library).isEmpty();
        return isLeftOut ? reason + "; on a module path, java needs --add-modules " + library : reason;
    }

    /**
     * Somebody may have taken its place, on purpose or not: that is not the same as what a system just does not have.
     */
    private @Nullable String unusableFolder(Path folder) {
        try {
            if (RuntimeFolder.check(folder)) {
                StaleSockets.remove(folder);
            }
            return null;
        } catch (Misconfigured e) {
            warnings.warn("shm can't be used: " + e.getMessage());
            return e.getMessage();
        }
    }

    private static Availability attempt(SegmentLayout smallest) {
        try (Descriptor file = Segment.allocate(smallest)) {
            Segment.begin(file, smallest).mapping().release();
            Segment.open(file, smallest).mapping().release();
            return new Availability.Ready();
        } catch (WeirException e) {
            return new Availability.Missing(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        if (self.bootId().isEmpty() || peer.bootId().isEmpty()) {
            return "it is unknown whether both run on one host";
        }
        if (!self.bootId().equals(peer.bootId())) {
            return peer.id() + " runs on another host (" + peer.host() + ")";
        }
        if (self.uid() < 0 || self.uid() != peer.uid()) {
            return peer.id() + " belongs to another user (uid " + peer.uid() + ", we have " + self.uid() + ")";
        }
        return null;
    }

    @Override
    public boolean isPrivate(TransportSettings settings) {
        // Memory without a name, handed over through a socket in a folder of this user.
        return true;
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        NettyLoop loop = NettyLoop.onEpoll(request, "shared memory");
        try {
            return ShmAgreement.begin(request, loop, budget);
        } catch (Misconfigured e) {
            // It was all right when the node started.
            warnings.warn("shm can't be used: " + e.getMessage());
            throw e;
        }
    }
}
