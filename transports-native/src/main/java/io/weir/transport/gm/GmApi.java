package io.weir.transport.gm;

import com.kenai.jffi.MemoryIO;
import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.NativeFunction;
import io.weir.transport.nativelib.SharedLibrary;
import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * libgm, as far as it is called here. The functions are those of gm.h 2.0.16; those that GM 1 does not have are
 * optional. What belongs to a port is called by one thread at a time, which is the caller's affair.
 */
final class GmApi {

    /** The one priority that is used: only messages of the same one keep their order. */
    static final int LOW_PRIORITY = 0;

    /** Longest in a size: two to the power of it, less eight. */
    static final int SIZE_LOSS = 8;

    /** A {@code gm_alarm_t}. */
    static final int ALARM = 48;

    /** The versions that a program can have been made for: the lowest of GM 2, and two of GM 1. */
    private static final int[] VERSIONS = {0x200, 0x106, 0x104};

    private static final int GM_2 = 0x200;
    private static final List<String> NAMES = List.of("libgm.so", "libgm.so.0", "libgm.so.1");
    private static final int NAME = 32;
    private static final long LEAST_PAGE = 4096;

    private static final Map<String, GmApi> LOADED = new HashMap<>();

    private final SharedLibrary library;
    private final NativeFunction open;
    private final NativeFunction close;
    private final NativeFunction sendTokens;
    private final NativeFunction receiveTokens;
    private final NativeFunction nodeId;
    private final @Nullable NativeFunction toGlobal;
    private final @Nullable NativeFunction fromGlobal;
    private final NativeFunction allowRemote;
    private final NativeFunction dmaMalloc;
    private final NativeFunction dmaFree;
    private final NativeFunction register;
    private final NativeFunction deregister;
    private final NativeFunction send;
    private final NativeFunction put;
    private final NativeFunction dropSends;
    private final NativeFunction provide;
    private final NativeFunction acceptable;
    private final NativeFunction receive;
    private final NativeFunction blockingReceive;
    private final NativeFunction unknown;
    private final NativeFunction initializeAlarm;
    private final NativeFunction setAlarm;
    private final NativeFunction cancelAlarm;
    private final long pageBytes;

    private GmApi(SharedLibrary library) throws NativeFailure {
        this.library = library;
        open = library.function("gm_open");
        close = library.function("gm_close");
        sendTokens = library.function("gm_num_send_tokens");
        receiveTokens = library.function("gm_num_receive_tokens");
        nodeId = library.function("gm_get_node_id");
        toGlobal = library.optional("gm_node_id_to_global_id");
        fromGlobal = library.optional("gm_global_id_to_node_id");
        allowRemote = library.function("gm_allow_remote_memory_access");
        dmaMalloc = library.function("gm_dma_malloc");
        dmaFree = library.function("gm_dma_free");
        register = library.function("gm_register_memory");
        deregister = library.function("gm_deregister_memory");
        send = library.function("gm_send_with_callback");
        NativeFunction byOldName = library.optional("gm_put");
        put = byOldName == null ? library.function("gm_directed_send_with_callback") : byOldName;
        dropSends = library.function("gm_drop_sends");
        provide = library.function("gm_provide_receive_buffer_with_tag");
        acceptable = library.function("gm_set_acceptable_sizes");
        receive = library.function("gm_receive");
        blockingReceive = library.function("gm_blocking_receive_no_spin");
        unknown = library.function("gm_unknown");
        initializeAlarm = library.function("gm_initialize_alarm");
        setAlarm = library.function("gm_set_alarm");
        cancelAlarm = library.function("gm_cancel_alarm");
        // Once for the process, which keeps it: the library counts.
        long status = (int) library.function("gm_init").call();
        if (!GmStatus.SUCCESS.is(status)) {
            throw new PeerUnavailable(library.name() + " can't be initialised: " + GmStatus.words(status));
        }
        long variable = library.find("GM_PAGE_LEN");
        pageBytes = variable == 0 ? LEAST_PAGE : MemoryIO.getInstance().getLong(variable);
        if (pageBytes < LEAST_PAGE || Long.bitCount(pageBytes) != 1) {
            throw new PeerUnavailable(library.name() + " has pages of " + pageBytes + " bytes, which can't be");
        }
    }

    /**
     * The library at this path, or the one that the system finds. The first call loads and initialises it: never on a
     * loop.
     *
     * @throws PeerUnavailable if there is none, with the remedy
     */
    static GmApi load(String path) {
        synchronized (LOADED) {
            GmApi there = LOADED.get(path);
            if (there != null) {
                return there;
            }
            try {
                SharedLibrary library = SharedLibrary.load(path.isEmpty() ? NAMES : List.of(path));
                GmApi api = new GmApi(library);
                LOADED.put(path, api);
                return api;
            } catch (NativeFailure e) {
                throw new PeerUnavailable(
                        "the library of GM can't be used (" + e.getMessage()
                                + "): install Myrinet's GM, or say where it is with weir.transport.gm.library",
                        e);
            }
        }
    }

    String name() {
        return library.name();
    }

    /** Memory is registered in pages. */
    long pageBytes() {
        return pageBytes;
    }

    /**
     * A port that was opened, and for which version.
     *
     * @param status how that has ended; the rest counts only if it is {@link GmStatus#SUCCESS}
     */
    record Opened(long status, long port, int version) {}

    /** Opens a port for the highest of the versions that the library goes along with. */
    Opened open(int board, int port, String name) {
        ByteBuffer out = Structures.allocate(Long.BYTES);
        ByteBuffer title = Structures.allocate(NAME).put(0, name.getBytes(StandardCharsets.US_ASCII));
        long status = GmStatus.OK;
        for (int version : VERSIONS) {
            status = (int) open.call(Structures.address(out), board, port, Structures.address(title), version);
            if (!GmStatus.INCOMPATIBLE_LIB_AND_DRIVER.is(status) && !GmStatus.INVALID_PARAMETER.is(status)) {
                return new Opened(status, out.getLong(0), version);
            }
        }
        return new Opened(status, 0, 0);
    }

    void close(long port) {
        var unused = close.call(port);
    }

    int sendTokens(long port) {
        return (int) sendTokens.call(port);
    }

    int receiveTokens(long port) {
        return (int) receiveTokens.call(port);
    }

    /** Our node's number, as this board has it. */
    int nodeId(long port) {
        ByteBuffer out = Structures.allocate(Integer.BYTES);
        done("our node's number can't be had", nodeId.call(port, Structures.address(out)));
        return out.getInt(0);
    }

    /** A node's number that is the same everywhere; GM 1 has only such. */
    int toGlobal(Opened of, int node) {
        return translated(of, toGlobal, node, "the node " + node + " has no number that all know");
    }

    int fromGlobal(Opened of, int node) {
        return translated(of, fromGlobal, node, "no route is known to the node " + Integer.toUnsignedString(node));
    }

    private static int translated(Opened of, @Nullable NativeFunction by, int node, String otherwise) {
        if (by == null || of.version() < GM_2) {
            return node;
        }
        ByteBuffer out = Structures.allocate(Integer.BYTES);
        done(otherwise, by.call(of.port(), node, Structures.address(out)));
        return out.getInt(0);
    }

    void allowRemoteAccess(long port) {
        done("the board does not let peers write", allowRemote.call(port));
    }

    /** Memory that the board can use; 0 if there is none. */
    long dmaMalloc(long port, long bytes) {
        return dmaMalloc.call(port, bytes);
    }

    void dmaFree(long port, long memory) {
        var unused = dmaFree.call(port, memory);
    }

    long register(long port, long address, long bytes) {
        return register.call(port, address, bytes);
    }

    long deregister(long port, long address, long bytes) {
        return deregister.call(port, address, bytes);
    }

    /** The parameters: port, message, size, length, priority, node, the node's port, what is called, and with what. */
    void send(NativeFunction.Arguments arguments) {
        var unused = send.call(arguments);
    }

    /**
     * The parameters: port, memory, the peer's memory, length, priority, node, the node's port, what is called, and
     * with what.
     */
    void put(NativeFunction.Arguments arguments) {
        var unused = put.call(arguments);
    }

    /** The parameters: port, priority, node, the node's port, what is called, and with what. */
    void dropSends(NativeFunction.Arguments arguments) {
        var unused = dropSends.call(arguments);
    }

    void provide(long port, long buffer, int size) {
        var unused = provide.call(port, buffer, size, LOW_PRIORITY, 0);
    }

    void accept(long port, long sizes) {
        done("the sizes of messages can't be set", acceptable.call(port, LOW_PRIORITY, sizes));
    }

    /** The next event, which is there until the next call; also one that says that there is none. */
    long receive(long port) {
        return receive.call(port);
    }

    /** As above, or an event with which {@link #unknown} waits. */
    long blockingReceive(long port) {
        return blockingReceive.call(port);
    }

    /** Lets the library do what it has to with an event that is not ours. */
    void unknown(long port, long event) {
        var unused = unknown.call(port, event);
    }

    void initializeAlarm(long alarm) {
        var unused = initializeAlarm.call(alarm);
    }

    void setAlarm(long port, long alarm, long microseconds, long function) {
        var unused = setAlarm.call(port, alarm, microseconds, function, 0);
    }

    void cancelAlarm(long alarm) {
        var unused = cancelAlarm.call(alarm);
    }

    /** The least size in which a message of so many bytes fits. */
    static int sizeFor(int bytes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(bytes + SIZE_LOSS - 1);
    }

    private static void done(String what, long status) {
        if (!GmStatus.SUCCESS.is(status)) {
            throw new PeerUnavailable(what + ": " + GmStatus.words(status));
        }
    }
}
