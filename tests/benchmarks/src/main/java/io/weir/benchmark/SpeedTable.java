package io.weir.benchmark;

import static io.weir.benchmark.contender.Scenario.ASK;
import static io.weir.benchmark.contender.Scenario.CHECKED;
import static io.weir.benchmark.contender.Scenario.ECHO;
import static io.weir.benchmark.contender.Scenario.ONE_WAY;
import static io.weir.benchmark.contender.Scenario.RTT;
import static io.weir.benchmark.contender.Scenario.SLEEP;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.util.List;

/** The bars that Weir has set itself. */
final class SpeedTable {

    private static final String SHM = "weir-shm";
    private static final String TCP = "weir-tcp";
    private static final String AERON = "aeron";
    private static final String RSOCKET = "rsocket";
    private static final String REACTOR_NETTY = "reactor-netty";

    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    static final List<Bar> BARS = List.of(
            shm("shm round trip", RTT, 32, AERON, RTT, 1.25),
            shm("shm round trip", RTT, KIB, AERON, RTT, 1.25),
            shm("shm one way", ONE_WAY, 32, AERON, ONE_WAY, 1),
            shm("shm one way", ONE_WAY, KIB, AERON, ONE_WAY, 1.2),
            shm("shm one way, filled and checked", CHECKED, MIB, AERON, CHECKED, 2.5),
            shm("shm, 64 outstanding: echo", ECHO, 32, AERON, ECHO, 0.8),
            shm("shm, 64 outstanding: ask", ASK, 32, RSOCKET, ASK, 10),
            tcp("tcp round trip", RTT, 32, REACTOR_NETTY, 1.15),
            tcp("tcp round trip", RTT, KIB, REACTOR_NETTY, 1.15),
            tcp("tcp one way", ONE_WAY, 32, REACTOR_NETTY, 3),
            tcp("tcp one way", ONE_WAY, 64 * KIB, REACTOR_NETTY, 1),
            tcp("tcp one way", ONE_WAY, MIB, REACTOR_NETTY, 1),
            tcp("tcp, 64 outstanding: echo", ECHO, 32, RSOCKET, 3),
            tcp("tcp, 64 outstanding: ask", ASK, 32, RSOCKET, 3),
            asleep("shm, first message after sleep", SHM, 2));

    private SpeedTable() {}

    private static Bar shm(String what, Scenario scenario, int size, String peer, Scenario peers, double factor) {
        return new Bar(what, SHM, new Cell(scenario, size), peer, new Cell(peers, size), factor, true);
    }

    private static Bar tcp(String what, Scenario scenario, int size, String peer, double factor) {
        Cell cell = new Cell(scenario, size);
        return new Bar(what, TCP, cell, peer, cell, factor, false);
    }

    private static Bar asleep(String what, String weir, double factor) {
        Cell cell = new Cell(SLEEP, 32);
        return new Bar(what, weir, cell, LimitEntrant.WAKEUP, cell, factor, false);
    }

    static List<Bar.Result> judge(Standings standings) {
        return BARS.stream().map(bar -> bar.judge(standings)).toList();
    }
}
