package io.weir.benchmark;

import static io.weir.benchmark.contender.Scenario.ASK;
import static io.weir.benchmark.contender.Scenario.CALL;
import static io.weir.benchmark.contender.Scenario.CALLS;
import static io.weir.benchmark.contender.Scenario.CALL_BYTES;
import static io.weir.benchmark.contender.Scenario.CHECKED;
import static io.weir.benchmark.contender.Scenario.CODEC;
import static io.weir.benchmark.contender.Scenario.ECHO;
import static io.weir.benchmark.contender.Scenario.IDLE;
import static io.weir.benchmark.contender.Scenario.LOANED;
import static io.weir.benchmark.contender.Scenario.ONE_WAY;
import static io.weir.benchmark.contender.Scenario.RTT;
import static io.weir.benchmark.contender.Scenario.SLEEP;
import static io.weir.benchmark.contender.Scenario.STALL;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.util.List;

/** The bars that Weir has set itself. */
final class SpeedTable {

    private static final String SHM = "weir-shm";
    private static final String SHM_TYPED = "weir-shm-typed";
    private static final String TCP = "weir-tcp";
    private static final String BOOT_SHM = "boot-shm";
    private static final String BOOT_TCP = "boot-tcp";
    private static final String WEB_CLIENT = "web-client";
    private static final String OBSERVED = "-observed";
    private static final String AERON = "aeron";
    private static final String RSOCKET = "rsocket";
    private static final String REACTOR_NETTY = "reactor-netty";
    private static final String TCP_TLS = "weir-tcp-tls";
    private static final String REACTOR_NETTY_TLS = "reactor-netty-tls";

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    /** A hundredth of a processor. */
    private static final double IDLE_CORES = 0.01;
    /**
     * The default window of 4 MiB, the batch that may already be asked of the source, at most a quarter of it, and the
     * rest of a chunk of 4 MiB, in which Netty's allocator takes memory.
     */
    private static final double STALLED_BYTES = 9 * MIB;

    static final List<Bar> BARS = List.of(
            shm("round trip", RTT, 32, AERON, RTT, 1.25),
            shm("round trip", RTT, KIB, AERON, RTT, 1.25),
            shm("one way", ONE_WAY, 32, AERON, ONE_WAY, 1),
            shm("one way", ONE_WAY, KIB, AERON, ONE_WAY, 1.2),
            shm("one way, filled and checked", CHECKED, KIB, AERON, CHECKED, 0.8),
            besideAeron("one way, filled and checked", SHM, CHECKED, MIB, 1.2, 1),
            shm("64 outstanding, echo", ECHO, 32, AERON, ECHO, 0.8),
            shm("64 outstanding, ask", ASK, 32, RSOCKET, ASK, 10),
            // Values whose codec needs neither a buffer nor a message.
            besideAeron("round trip, in place", SHM_TYPED, RTT, 32, 1.25, 1.25),
            besideAeron("round trip, in place", SHM_TYPED, RTT, KIB, 1.25, 1.25),
            besideAeron("one way, in place", SHM_TYPED, ONE_WAY, 32, 0.75, 0.8),
            besideAeron("one way, in place", SHM_TYPED, ONE_WAY, KIB, 0.8, 0.8),
            besideAeron("64 outstanding, echo, in place", SHM_TYPED, ECHO, 32, 0.65, 1.2),
            new RatioBar(
                    "64 outstanding, ask, in place",
                    SHM_TYPED,
                    new Cell(ASK, 32),
                    RSOCKET,
                    new Cell(ASK, 32),
                    10,
                    true),
            new RatioBar(
                    "round trip of what nobody touches",
                    SHM,
                    new Cell(LOANED, 4 * MIB),
                    SHM,
                    new Cell(LOANED, 64),
                    1.2,
                    true),
            tcp("round trip", RTT, 32, REACTOR_NETTY, 1.15),
            tcp("round trip", RTT, KIB, REACTOR_NETTY, 1.15),
            tcp("one way", ONE_WAY, 32, REACTOR_NETTY, 3),
            tcp("one way", ONE_WAY, 64 * KIB, REACTOR_NETTY, 1),
            tcp("one way", ONE_WAY, MIB, REACTOR_NETTY, 1),
            tcp("64 outstanding, echo", ECHO, 32, RSOCKET, 3),
            tcp("64 outstanding, ask", ASK, 32, RSOCKET, 3),
            new CallBar(new Cell(CALL, 32), SHM, new Cell(RTT, 32), new Cell(CODEC, 32)),
            new RatioBar("call, bytes", SHM, new Cell(CALL_BYTES, 32), SHM, new Cell(RTT, 32), 3, true),
            new RatioBar("call", SHM, new Cell(CALL, 32), "grpc", new Cell(CALL, 32), 0.1, false),
            new RatioBar("call", SHM, new Cell(CALL, 32), "java-rmi", new Cell(CALL, 32), 0.1, false),
            new RatioBar("64 outstanding, calls", TCP, new Cell(CALLS, 32), RSOCKET, new Cell(ASK, 32), 2, false),
            new RatioBar(
                    "call between Boot services", BOOT_SHM, new Cell(CALL, 32), SHM, new Cell(CALL, 32), 1.05, false),
            new RatioBar(
                    "call between Boot services", BOOT_TCP, new Cell(CALL, 32), TCP, new Cell(CALL, 32), 1.05, false),
            new AddedBar("the same, observed", BOOT_SHM + OBSERVED, new Cell(CALL, 32), SHM, 6_000),
            new RatioBar(
                    "the same, observed",
                    BOOT_TCP + OBSERVED,
                    new Cell(CALL, 32),
                    TCP,
                    new Cell(CALL, 32),
                    1.15,
                    false),
            new RatioBar(
                    "64 outstanding, Boot", BOOT_SHM, new Cell(CALLS, 32), WEB_CLIENT, new Cell(CALLS, 32), 5, false),
            new RatioBar(
                    "64 outstanding, Boot", BOOT_TCP, new Cell(CALLS, 32), WEB_CLIENT, new Cell(CALLS, 32), 5, false),
            session(SHM),
            session(TCP),
            tls(KIB),
            tls(64 * KIB),
            asleep(SHM, 2),
            idle(SHM),
            idle(TCP),
            stalled(SHM, 32),
            stalled(SHM, 64 * KIB),
            stalled(TCP, 32),
            stalled(TCP, 64 * KIB));

    private SpeedTable() {}

    private static Bar shm(String what, Scenario scenario, int size, String peer, Scenario peers, double factor) {
        return new RatioBar(what, SHM, new Cell(scenario, size), peer, new Cell(peers, size), factor, true);
    }

    private static Bar besideAeron(String what, String weir, Scenario scenario, int size, double near, double far) {
        Cell cell = new Cell(scenario, size);
        return new RatioBar(what, weir, cell, AERON, cell, near, far, true);
    }

    private static Bar tcp(String what, Scenario scenario, int size, String peer, double factor) {
        Cell cell = new Cell(scenario, size);
        return new RatioBar(what, TCP, cell, peer, cell, factor, false);
    }

    /** What it costs that a session may change its path. */
    private static Bar session(String weir) {
        Cell cell = new Cell(ONE_WAY, 32);
        return new RatioBar("one way, weir.repath=always", weir, cell, weir + "-staying", cell, 0.95, false);
    }

    private static Bar tls(int size) {
        Cell cell = new Cell(ONE_WAY, size);
        return new RatioBar("one way, encrypted", TCP_TLS, cell, REACTOR_NETTY_TLS, cell, 0.95, false);
    }

    private static Bar asleep(String weir, double factor) {
        Cell cell = new Cell(SLEEP, 32);
        return new RatioBar("first message after sleep", weir, cell, LimitEntrant.WAKEUP, cell, factor, false);
    }

    private static Bar idle(String weir) {
        return new LimitBar(
                "idle, CPU of the busier process",
                weir,
                new Cell(IDLE, 32),
                one -> Math.max(one.serverCores(), one.clientCores()),
                IDLE_CORES,
                Figures::percent);
    }

    private static Bar stalled(String weir, int size) {
        return new LimitBar(
                "never requested, held by the fuller process",
                weir,
                new Cell(STALL, size),
                one -> Math.max(one.serverHeldBytes(), one.clientHeldBytes()),
                STALLED_BYTES,
                Figures::mebibytes);
    }

    static List<Judgement> judge(Standings standings) {
        return BARS.stream().map(bar -> bar.judge(standings)).toList();
    }
}
