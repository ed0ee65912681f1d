package io.weir.transport.elan;

import com.kenai.jffi.MemoryIO;
import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.NativeFunction;
import io.weir.transport.nativelib.SharedLibrary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * libelan, as far as it is called here: the few functions whose parameters all its users agree on, and that need no
 * constant of its header. It has no locks and no errors: calls are made by one thread at a time, which is the caller's
 * affair, and a wrong one ends the process.
 */
final class ElanApi {

    /** How to wait for an event: look once, as ParaStation does. */
    private static final long ONCE = 0;

    private static final List<String> NAMES = List.of("libelan.so", "libelan.so.1");

    private final SharedLibrary library;
    private final NativeFunction baseInit;
    private final NativeFunction put;
    private final NativeFunction get;
    private final NativeFunction poll;
    private final @Nullable NativeFunction addressable;

    private ElanApi(SharedLibrary library) throws NativeFailure {
        this.library = library;
        baseInit = library.function("elan_baseInit");
        put = library.function("elan_put");
        get = library.function("elan_get");
        poll = library.function("elan_poll");
        addressable = library.optional("elan_addressable");
    }

    /**
     * The library at this path, or the one that the system finds. Calls nothing of it.
     *
     * @throws PeerUnavailable if there is none, with the remedy
     */
    static ElanApi load(String path) {
        try {
            return new ElanApi(SharedLibrary.load(path.isEmpty() ? NAMES : List.of(path)));
        } catch (NativeFailure e) {
            throw new PeerUnavailable(
                    "the library of QsNet can't be used (" + e.getMessage()
                            + "): install Quadrics' libelan, or say where it is with weir.transport.elan.library",
                    e);
        }
    }

    String name() {
        return library.name();
    }

    /**
     * Joins the job, once in the life of a process; may wait for its other processes. Returns where the
     * {@code ELAN_BASE} is.
     */
    long baseInit() {
        long base = baseInit.call(0);
        long variable = base == 0 ? library.find("elan_base") : 0;
        return variable == 0 ? base : MemoryIO.getInstance().getLong(variable);
    }

    /** Writes into the memory of a process of the job; the last eight bytes come last. Returns an event. */
    long put(long state, long from, long to, long bytes, int vp) {
        return put.call(state, from, to, bytes, vp);
    }

    /** Reads from the memory of a process of the job. Returns an event. */
    long get(long state, long from, long to, long bytes, int vp) {
        return get.call(state, from, to, bytes, vp);
    }

    /** Whether what an event stands for is done; then the event is none any more. */
    boolean isDone(long event) {
        // The upper half of the register is not the function's: it returns an int.
        return (int) poll.call(event, ONCE) != 0;
    }

    /** Whether the adapter can use this memory: Elan3 only what its library has given, Elan4 all. */
    boolean isAddressable(long state, long address, long bytes) {
        return addressable == null || (int) addressable.call(state, address, bytes) != 0;
    }
}
