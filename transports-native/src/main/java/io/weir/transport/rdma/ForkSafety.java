package io.weir.transport.rdma;

import io.weir.transport.nativelib.Posix;
import jnr.ffi.LibraryLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Programs that we start get a copy of our memory, and older kernels may give the original to them and leave a device
 * with the copy. libibverbs, which providers of uDAPL use as well, prevents that if it is told before the first memory
 * is registered, by whomever.
 */
public final class ForkSafety {

    private static final String LIBRARY = "libibverbs.so.1";

    private static final Logger LOG = LoggerFactory.getLogger(ForkSafety.class);

    private ForkSafety() {}

    /** The function that libibverbs exports. Public as jnr-ffi implements it from another class loader. */
    public interface Functions {
        int ibv_fork_init();
    }

    /**
     * Sees to it; the first call counts. Where there is no libibverbs there is nothing to see to. Loads a library:
     * never on a loop.
     */
    public static void ensure() {
        Done.once();
    }

    private static final class Done {

        static {
            try {
                int error = LibraryLoader.create(Functions.class)
                        .failImmediately()
                        .load(LIBRARY)
                        .ibv_fork_init();
                if (error != 0) {
                    LOG.warn("Registered memory is not kept from programs that we start: {}", Posix.words(error));
                }
            } catch (RuntimeException | LinkageError e) {
                LOG.debug("There is no {}", LIBRARY, e);
            }
        }

        /** Has this class initialised. */
        static void once() {}
    }
}
