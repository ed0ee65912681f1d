package io.weir.config;

import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What a {@link NodeSpec} holds where nothing was said, each value with its reason. */
public final class NodeDefaults {

    /** A free port that only this host reaches: a node is open to a network only if somebody says so. */
    public static final List<PeerAddress> LISTEN = List.of(new PeerAddress("127.0.0.1", 0));

    /**
     * Native code is what makes the fast paths; where it can't be loaded they are missing with a reason, and tcp
     * remains.
     */
    public static final boolean NATIVE_ALLOWED = true;

    /** One thread moves millions of messages a second, and every further one that waits actively takes a processor. */
    public static final int LOOPS = 1;

    /** Sleeps when idle, yet looks for as long as a wake-up would cost. */
    public static final Waiting WAITING = Waiting.BALANCED;

    /**
     * Off: there is no certificate that everybody has. What counts once it is on stands, with its reasons, in
     * {@link TlsSpec}.
     */
    public static final TlsSpec TLS = TlsSpec.OFF;

    /**
     * Items: at ten million small messages a second this is more than a millisecond of work, enough to cover the return
     * of credit in blocks over a network of 100 us round trip several times. What they hold is bounded by the bytes.
     */
    public static final long WINDOW_ITEMS = 16 * 1024;

    /**
     * Bytes: 10 Gbit/s over a round trip of 1 ms keeps 1.25 MB under way; three times that leaves room for credit that
     * is returned in blocks.
     */
    public static final long WINDOW_BYTES = 4L << 20;

    /**
     * Items that may travel before the receiver has asked: enough to hide the first round trip of a channel, and few
     * enough for an accepting side to keep until its subscriber has come.
     */
    public static final long INITIAL_ITEMS = 256;

    /** Bytes: what is longer is better streamed in pieces, since it exists as a whole on both sides. */
    public static final int MAX_MESSAGE = 64 << 20;

    /** Bytes: four of the longest messages at once. */
    public static final long NODE_BYTES = 4L * MAX_MESSAGE;

    /**
     * Bytes; 0: half of what the JVM may have. The other half is for the program itself, and for what allocators keep
     * beside what is in use.
     */
    public static final long MEMORY_MAX = 0;

    /** A TCP connection that takes longer has lost its first packet twice (after 1 s and 3 s), or nobody is there. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** All steps between a connection and its first message; two paths may time out before. */
    public static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

    /** One path: opening a device or loading a native library takes at most some hundred milliseconds. */
    public static final Duration STEP_TIMEOUT = Duration.ofSeconds(2);

    /**
     * Shared memory is open in some milliseconds; a device that takes longer than this must not hold up what TCP can do
     * meanwhile.
     */
    public static final Duration HEAD_START = Duration.ofSeconds(1);

    /**
     * A peer that reads at all takes a full window in this time; one that does not must not hold up the end of a
     * process.
     */
    public static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(2);

    /** Rare enough to cost nothing, for peers that have nothing to say. */
    public static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(10);

    /**
     * Longer than a pause for garbage collection or a move of the machine, short enough to notice a dead peer soon.
     */
    public static final Duration KEEP_ALIVE_TIMEOUT = Duration.ofSeconds(60);

    /** A network that heals by itself does so in this time; longer than most pauses of a JVM. */
    public static final Duration RESUME_TIMEOUT = Duration.ofSeconds(30);

    /** A side that lives connects anew in a few milliseconds; that is long enough to wait for a dead one. */
    public static final Duration REJOIN_TIMEOUT = Duration.ofMillis(500);

    /** More than 10 Gbit/s have under way over a round trip of 10 ms. */
    public static final long RESUME_BYTES = 16L << 20;

    /**
     * Whatever made a path fail is seldom over sooner, and a path that comes and goes costs at most one move a second.
     */
    public static final Duration REPATH_PROBATION = Duration.ofSeconds(1);

    /** A node connects to the peers that it talks to: nothing depends on the order in which processes start. */
    public static final PeerSpec.Connect PEER_CONNECT = PeerSpec.Connect.LAZY;

    /** A program that asks for a peer knows best what to do without it. */
    public static final Duration PEER_PATIENCE = Duration.ZERO;

    /** Processes that are started together are there in this time, also when their image has to be fetched. */
    public static final Duration START_TIMEOUT = Duration.ofSeconds(30);

    /** A large cluster; beyond it, further peers are refused before they cost memory. */
    public static final int MAX_PEERS = 4096;

    /** Per peer. Full windows of so many channels, at 4 MiB each, are far beyond the node's own bound of memory. */
    public static final int MAX_CHANNELS = 4096;

    /** More than a program leaves unmatched that reads its mailbox; each peer's window bounds their bytes. */
    public static final int MAILBOX_ITEMS = 1024;

    /**
     * At once. Half of it holds those who have said HELLO for 128 ms when they come at the highest rate: a round
     * trip between continents.
     */
    public static final int MAX_HANDSHAKES = 256;

    /**
     * In a second: all of a cluster of 4096 are back some seconds after a node has started anew, and strangers make it
     * write no more than a thousand cards.
     */
    public static final int MAX_HANDSHAKE_RATE = 1000;

    /**
     * A peer that comes through a gateway has to prove as much as one from another host, also at a node that listens on
     * its own host only, so strangers gain nothing by it.
     */
    public static final boolean GATEWAY_ACCEPT = true;

    /** An instance that is started anew is there in this time, and nobody waits for much longer. */
    public static final Duration SERVICE_PATIENCE = Duration.ofSeconds(5);

    /** Fair without anything being known of the calls. */
    public static final Balance SERVICE_BALANCE = Balance.ROUND_ROBIN;

    /** What works on every host, without a server and without a setting. */
    public static final DirectoryKind DIRECTORY = DirectoryKind.LOCAL;

    /**
     * No server is everywhere. An answer that takes 5 s will not come; a session of 10 s outlives the pauses of most
     * JVMs, and the dead are listed no longer.
     */
    public static final ZooKeeperSpec ZOOKEEPER =
            new ZooKeeperSpec(null, "/weir", null, null, Duration.ofSeconds(5), Duration.ofSeconds(10));

    private NodeDefaults() {}

    /** The kernel's name of this host, which asks no name server and so never waits; "node" where there is none. */
    public static String name() {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            if (!name.isEmpty()) {
                return name;
            }
        } catch (IOException | SecurityException e) {
            // Not Linux: the environment knows.
        }
        for (String variable : List.of("HOSTNAME", "COMPUTERNAME")) {
            String name = System.getenv(variable);
            if (name != null && !name.isBlank()) {
                return name.strip();
            }
        }
        return "node";
    }
}
