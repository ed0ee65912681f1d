package io.weir.transport.dapl;

import io.weir.core.PeerUnavailable;
import io.weir.transport.rdma.ForkSafety;
import java.nio.ByteBuffer;
import java.util.Set;
import jnr.ffi.LibraryLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * libdat2, loaded by the first call of {@link #missing}, without which nothing else here may be used. This is the one
 * place where what its calls return becomes an exception. Thread-safe; what may be called at the same time is the
 * provider's affair.
 */
final class DaplLibrary {

    static final String NAME = "libdat2.so.2";

    /** Where a structure of 16 bytes that is passed by value goes into two registers, as two numbers would. */
    private static final Set<String> PLATFORMS = Set.of("amd64", "x86_64", "aarch64");

    private static final Logger LOG = LoggerFactory.getLogger(DaplLibrary.class);

    private DaplLibrary() {}

    /**
     * The functions that the library exports, under their own names. A handle and an address are a {@code long}: 64
     * bits wherever this is used. All return a {@code DAT_RETURN}.
     */
    public interface Functions {

        int dat_ia_openv(
                String name, int events, ByteBuffer asyncEvents, ByteBuffer adapter, int major, int minor, int safe);

        int dat_ia_query(
                long adapter,
                ByteBuffer asyncEvents,
                long mask,
                ByteBuffer attributes,
                long providerMask,
                long provider);

        int dat_ia_close(long adapter, int flags);

        int dat_pz_create(long adapter, ByteBuffer zone);

        int dat_pz_free(long zone);

        /** The region is a union of 16 bytes that is passed by value: the address, and nothing. */
        int dat_lmr_create(
                long adapter,
                int type,
                long address,
                long nothing,
                long length,
                long zone,
                int privileges,
                int addressing,
                ByteBuffer memory,
                ByteBuffer localContext,
                ByteBuffer remoteContext,
                ByteBuffer registeredLength,
                ByteBuffer registeredAddress);

        int dat_lmr_free(long memory);

        /** The agent is a structure of 16 bytes that is passed by value: what the function gets, and the function. */
        int dat_cno_create(long adapter, long agentData, long agentFunction, ByteBuffer notifier);

        int dat_cno_modify_agent(long notifier, long agentData, long agentFunction);

        int dat_cno_wait(long notifier, int microseconds, ByteBuffer dispatcher);

        int dat_cno_free(long notifier);

        int dat_evd_create(long adapter, int events, long notifier, int flags, ByteBuffer dispatcher);

        int dat_evd_enable(long dispatcher);

        int dat_evd_disable(long dispatcher);

        int dat_evd_dequeue(long dispatcher, long event);

        int dat_evd_wait(long dispatcher, int microseconds, int threshold, ByteBuffer event, ByteBuffer more);

        int dat_evd_free(long dispatcher);

        int dat_ep_create(
                long adapter,
                long zone,
                long receives,
                long requests,
                long connections,
                ByteBuffer attributes,
                ByteBuffer endpoint);

        int dat_ep_connect(
                long endpoint,
                ByteBuffer address,
                long qualifier,
                int microseconds,
                int privateSize,
                ByteBuffer privateData,
                int service,
                int flags);

        int dat_ep_free(long endpoint);

        int dat_ep_post_recv(long endpoint, int pieces, long piece, long cookie, int flags);

        int dat_ep_post_send(long endpoint, int pieces, long piece, long cookie, int flags);

        /** Takes a buffer because jnr-ffi 2.3.4 loses the sixth argument of a call that has numbers only. */
        int dat_ep_post_rdma_read(long endpoint, int pieces, long piece, long cookie, ByteBuffer remote, int flags);

        int dat_psp_create_any(long adapter, ByteBuffer qualifier, long dispatcher, int flags, ByteBuffer point);

        int dat_psp_free(long point);

        int dat_cr_query(long request, int mask, ByteBuffer parameters);

        int dat_cr_accept(long request, long endpoint, int privateSize, long privateData);

        int dat_cr_reject(long request, int privateSize, long privateData);
    }

    /**
     * Why the library can't be used here, where {@link io.weir.transport.nativelib.Posix} can, as a sentence, or null
     * if it can. The first call loads it: never on a loop.
     */
    static @Nullable String missing() {
        String platform = System.getProperty("os.arch", "");
        if (!PLATFORMS.contains(platform)) {
            return "the structures of uDAPL are not known on " + platform;
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

    /** Checks what a call has returned. */
    static void done(String what, int result) {
        done(what, result, "");
    }

    /** Checks what a call has returned; the remedy is told if something was scarce. */
    static void done(String what, int result, String remedy) {
        if (result != DaplReturn.SUCCESS) {
            throw new PeerUnavailable(what + ": " + DaplReturn.words(result) + DaplReturn.remedy(result, remedy));
        }
    }

    /** When something is freed, an error ends nothing and is told nobody but the log. */
    static void freed(String what, int result) {
        if (result != DaplReturn.SUCCESS) {
            LOG.warn("{} can't be freed: {}", what, DaplReturn.words(result));
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
                // Its providers register memory with libibverbs.
                ForkSafety.ensure();
            } catch (RuntimeException | LinkageError e) {
                failure = NAME + " can't be loaded (" + e.getMessage() + "): install it; Debian's package is libdapl2";
            }
            FUNCTIONS = functions;
            FAILURE = failure;
        }
    }
}
