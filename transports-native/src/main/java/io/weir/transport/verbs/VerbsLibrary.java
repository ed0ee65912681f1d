package io.weir.transport.verbs;

import io.weir.core.PeerUnavailable;
import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.rdma.ForkSafety;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import jnr.ffi.LibraryLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * libibverbs, loaded by the first call of {@link #missing}, without which nothing else here may be used. This is the
 * one place where its error numbers become exceptions. Thread-safe.
 */
final class VerbsLibrary {

    private static final String NAME = "libibverbs.so.1";

    /** Where the layouts are known: LP64 with the numbers of {@link io.weir.transport.nativelib.LibC}. */
    private static final Set<String> PLATFORMS = Set.of("amd64", "x86_64", "aarch64");

    /** Where the kernel shows what programs may use. */
    private static final Path DEVICES = Path.of("/sys/class/infiniband_verbs");

    static final String NO_DEVICES = "the system has no RDMA devices: its kernel module ib_uverbs is not loaded"
            + " (modprobe ib_uverbs, and the driver of the adapter)";

    private static final Logger LOG = LoggerFactory.getLogger(VerbsLibrary.class);

    private VerbsLibrary() {}

    /**
     * The functions that the library exports, under their own names. An address is a {@code long}: 64 bits wherever
     * this is used.
     */
    public interface Functions {

        long ibv_get_device_list(ByteBuffer count);

        void ibv_free_device_list(long list);

        String ibv_get_device_name(long device);

        long ibv_open_device(long device);

        int ibv_close_device(long context);

        int ibv_query_device(long context, ByteBuffer attributes);

        /** Writes the part that was there before {@code port_cap_flags2}. */
        int ibv_query_port(long context, byte port, ByteBuffer attributes);

        int ibv_query_gid(long context, byte port, int index, ByteBuffer gid);

        long ibv_alloc_pd(long context);

        int ibv_dealloc_pd(long domain);

        long ibv_reg_mr(long domain, long address, long length, int access);

        int ibv_dereg_mr(long region);

        long ibv_create_comp_channel(long context);

        int ibv_destroy_comp_channel(long channel);

        long ibv_create_cq(long context, int entries, long user, long channel, int vector);

        int ibv_destroy_cq(long queue);

        int ibv_get_cq_event(long channel, ByteBuffer queue, ByteBuffer user);

        void ibv_ack_cq_events(long queue, int count);

        long ibv_create_qp(long domain, ByteBuffer attributes);

        int ibv_modify_qp(long pair, ByteBuffer attributes, int mask);

        int ibv_destroy_qp(long pair);

        int ibv_get_async_event(long context, ByteBuffer event);

        void ibv_ack_async_event(ByteBuffer event);
    }

    /**
     * Why the library can't be used here, as a sentence, or null if it can. The first call loads it: never on a loop.
     */
    static @Nullable String missing(TransportSettings settings) {
        String missing = Posix.missing(settings);
        if (missing != null) {
            return missing;
        }
        String platform = System.getProperty("os.arch", "");
        if (!PLATFORMS.contains(platform)) {
            return "the structures of libibverbs are not known on " + platform;
        }
        // Most hosts have none, and need not load the library to know.
        if (!Files.isDirectory(DEVICES)) {
            return NO_DEVICES;
        }
        return Loaded.FAILURE;
    }

    static Functions functions() {
        Functions functions = Loaded.FUNCTIONS;
        if (functions == null) {
            throw new IllegalStateException(Loaded.FAILURE);
        }
        return functions;
    }

    /** What a call gave that gives an address, or else fails with this remedy. */
    static long made(String what, long address, String remedy) {
        if (address == 0) {
            throw refused(what, Posix.lastError(), remedy);
        }
        return address;
    }

    /** Checks a call that returns its error number. */
    static void done(String what, int error) {
        if (error != 0) {
            throw refused(what, error, "");
        }
    }

    static PeerUnavailable refused(String what, int error, String remedy) {
        return new PeerUnavailable(what + ": " + Posix.words(error) + remedy);
    }

    /**
     * When something is freed, an error ends nothing and is told nobody but the log. Some calls return the number,
     * others set it and return -1.
     */
    static void freed(String what, int result) {
        if (result != 0) {
            LOG.warn("{} can't be freed: {}", what, Posix.words(result < 0 ? Posix.lastError() : result));
        }
    }

    /** Loads on first use, so that a process that does not want this path never pays for it. */
    private static final class Loaded {

        static final @Nullable Functions FUNCTIONS;
        static final @Nullable String FAILURE;

        static {
            Functions functions = null;
            String failure = null;
            try {
                functions =
                        LibraryLoader.create(Functions.class).failImmediately().load(NAME);
                ForkSafety.ensure();
            } catch (RuntimeException | LinkageError e) {
                functions = null;
                failure = NAME + " can't be loaded (" + e.getMessage()
                        + "): install it; Debian's packages are libibverbs1 and ibverbs-providers";
            }
            FUNCTIONS = functions;
            FAILURE = failure;
        }
    }
}
