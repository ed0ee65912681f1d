package io.weir.transport.gm;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.RemoteOptions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of this path.
 *
 * @param choice {@code library}, {@code board} and {@code port}
 * @param memory those that every path over RDMA has
 */
record GmOptions(Choice choice, RemoteOptions memory) {

    private static final String LIBRARY = "library";

    static final Set<String> NAMES = Stream.concat(Stream.of(LIBRARY, "board", "port"), RemoteOptions.NAMES.stream())
            .collect(Collectors.toUnmodifiableSet());

    static final int ANY = -1;

    private static final int MOST_BOARDS = 8;

    /** 0 is the daemon's and 1 the mapper's. */
    private static final int FIRST_PORT = 2;

    private static final int LAST_PORT = 15;

    /**
     * Which library, board and port to use; equal choices share what is open.
     *
     * @param library its path; empty for the one that the system finds
     * @param board its number, or {@link #ANY}
     * @param port its number, or {@link #ANY}
     * @param slotBytes the longest message
     */
    record Choice(String library, int board, int port, int slotBytes) {}

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    static GmOptions of(TransportSettings settings) {
        RemoteOptions memory = RemoteOptions.of(settings);
        String library = RemoteOptions.path(settings, LIBRARY, "/opt/gm/lib/libgm.so");
        Choice choice = new Choice(
                library,
                RemoteOptions.number(settings, "board", ANY, 0, MOST_BOARDS - 1),
                RemoteOptions.number(settings, "port", ANY, FIRST_PORT, LAST_PORT),
                memory.plan().slotBytes());
        return new GmOptions(choice, memory);
    }
}
