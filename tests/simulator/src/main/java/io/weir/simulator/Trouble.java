package io.weir.simulator;

import io.weir.channel.Peer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * One thing that goes wrong, as the frame with a certain number arrives: it happens to the link that brings it, or to one of its
 * nodes.
 */
final class Trouble {

    /** What may go wrong. */
    enum Kind {
        STALL,
        BREAK,
        BREAK_OF_BOOTSTRAP,
        NO_SHM,
        CORRUPTION,
        PAUSE,
        DEATH,
        SILENT_DEATH,
        LEAVING,
        END_OF_PEER
    }

    private static final Duration STALL = Duration.ofSeconds(20);

    private final Simulation simulation;
    private final SplittableRandom chance;
    private final Kind kind;
    private final int frame;

    /** Often it comes soon after the one before. */
    Trouble(Simulation simulation, int before, SplittableRandom chance) {
        this.simulation = simulation;
        this.chance = chance;
        this.kind = kind(chance);
        this.frame = chance.nextBoolean() ? before + chance.nextInt(80) : chance.nextInt(400);
    }

    /** A data link that breaks is what most is promised about. */
    private static Kind kind(SplittableRandom chance) {
        Kind[] all = Kind.values();
        return chance.nextInt(3) == 0 ? Kind.BREAK : all[chance.nextInt(all.length)];
    }

    /** After how many frames it comes. */
    int frame() {
        return frame;
    }

    void come(Wire wire) {
        if (simulation.isCalm()) {
            return;
        }
        switch (kind) {
            case STALL -> stall(wire);
            case BREAK -> breakLink(wire);
            case BREAK_OF_BOOTSTRAP -> breakBootstrap(wire);
            case NO_SHM -> noShm();
            case CORRUPTION -> corrupt(wire);
            case PAUSE -> pause(one(wire));
            case DEATH -> die(one(wire), false);
            case SILENT_DEATH -> die(one(wire), true);
            case LEAVING -> leave(one(wire));
            case END_OF_PEER -> endPeer(wire);
        }
    }

    private Incarnation one(Wire wire) {
        return chance.nextBoolean() ? wire.first().owner() : wire.second().owner();
    }

    private void say(Object what) {
        simulation.trace(() -> "TROUBLE " + kind + ": " + what);
    }

    private Duration upTo(Duration most) {
        return Duration.ofNanos(chance.nextBoolean() ? chance.nextLong(most.toNanos()) : chance.nextLong(1_000_000));
    }

    private void stall(Wire wire) {
        Duration time = upTo(STALL);
        say(wire + " for " + time);
        simulation
                .excuses()
                .connecting(wire.first().owner().host(), wire.second().owner().host(), time.plus(Excuses.NOTICED));
        if (wire.isYoung()) {
            excuseSession(wire, time.plus(Excuses.NOTICED));
        }
        wire.stall(chance.nextBoolean(), time);
    }

    private void breakLink(Wire wire) {
        List<Wire> all = simulation.network().wires().stream()
                .filter(each -> each.shape().transport().equals(ShmTransport.NAME))
                .toList();
        if (all.isEmpty()) {
            return;
        }
        Wire broken = all.contains(wire) ? wire : all.get(chance.nextInt(all.size()));
        say(broken);
        if (simulation.network().promise() == Promise.SESSION_ENDS_WITH_ITS_LINK || !broken.isUsed()) {
            excuseSession(broken, Excuses.NOTICED);
        }
        shatter(broken);
    }

    private void shatter(Wire wire) {
        boolean late = chance.nextInt(3) == 0;
        long soon = chance.nextLong(100_000);
        long later = late ? chance.nextLong(Duration.ofSeconds(2).toNanos()) : chance.nextLong(2_000_000);
        if (chance.nextBoolean()) {
            wire.breaks(soon, later);
        } else {
            wire.breaks(later, soon);
        }
    }

    private void excuseSession(Wire wire, Duration noticed) {
        simulation
                .excuses()
                .session(wire.first().owner().host(), wire.second().owner().host(), noticed);
    }

    private void breakBootstrap(Wire wire) {
        List<Wire> all = simulation.network().wires().stream()
                .filter(each -> each.shape().transport().equals(TcpTransport.NAME))
                .toList();
        Wire broken = all.contains(wire) || all.isEmpty() ? wire : all.get(chance.nextInt(all.size()));
        say(broken);
        excuseSession(broken, Excuses.NOTICED);
        shatter(broken);
    }

    private void noShm() {
        Duration time = upTo(Duration.ofSeconds(5));
        say("for " + time);
        simulation.network().refuseShm(time);
    }

    private void corrupt(Wire wire) {
        say(wire);
        // It may take long until another frame comes.
        excuseSession(wire, Duration.ofHours(1));
        wire.corrupt(chance.nextBoolean());
    }

    private void pause(Incarnation paused) {
        if (paused.isStopped() || !paused.isThere()) {
            return;
        }
        Duration time = upTo(Duration.ofSeconds(20));
        say(paused + " for " + time);
        simulation.excuses().connecting(paused.host(), null, time.plus(Excuses.NOTICED));
        for (Wire each : simulation.network().wires()) {
            if (each.isOf(paused) && each.isYoung()) {
                excuseSession(each, time.plus(Excuses.NOTICED));
            }
        }
        long since = simulation.now();
        paused.stop();
        simulation.after(time.toNanos(), () -> {
            if (!paused.isDead()) {
                simulation.trace(() -> paused + " goes on");
                simulation.excuses().noticedLate(paused.host(), since);
                paused.goOn();
            }
        });
    }

    private void die(Incarnation dead, boolean silently) {
        if (!dead.isThere()) {
            return;
        }
        say(dead);
        simulation.excuses().session(dead.host(), null, silently ? Excuses.GIVEN_UP : Excuses.NOTICED);
        dead.die();
        simulation.network().died(dead, silently);
        restartLater(dead);
    }

    private void restartLater(Incarnation former) {
        long pause = upTo(Duration.ofSeconds(2)).toNanos();
        if (chance.nextInt(3) > 0) {
            simulation.after(pause, () -> simulation.due(() -> restart(former, 0)));
        }
    }

    /** Not before the former one has left its address. */
    private void restart(Incarnation former, int tries) {
        if (simulation.isCalm()) {
            return;
        }
        if (former.isDead() || former.isClosed()) {
            // Whoever calls just now may still meet the former one, or nobody.
            simulation.excuses().session(former.host(), null, Excuses.NOTICED);
            var unused = former.host().start();
        } else if (tries < 100) {
            simulation.after(Duration.ofMillis(500).toNanos(), () -> simulation.due(() -> restart(former, tries + 1)));
        }
    }

    private void leave(Incarnation leaving) {
        if (!leaving.isThere() || leaving.isStopped()) {
            return;
        }
        say(leaving);
        // Sessions last until everything was sent; nobody else is let in meanwhile.
        simulation.excuses().session(leaving.host(), null, Duration.ofMinutes(5));
        leaving.close();
        restartLater(leaving);
    }

    private void endPeer(Wire wire) {
        Incarnation ending = one(wire);
        if (!ending.isThere() || ending.isStopped()) {
            return;
        }
        List<Peer> peers = ending.node().connected().stream()
                .sorted(Comparator.comparing(peer -> peer.id().name()))
                .toList();
        if (peers.isEmpty()) {
            return;
        }
        Peer ended = peers.get(chance.nextInt(peers.size()));
        say(ending + " ends its connection to " + ended.id().name());
        for (Host each : hostsNamed(ended.id().name())) {
            // The goodbye may stand behind a stall.
            simulation.excuses().session(ending.host(), each, STALL.plus(Excuses.NOTICED));
        }
        var unused = ended.close().subscribe();
    }

    private List<Host> hostsNamed(String name) {
        return simulation.incarnations().stream()
                .map(Incarnation::host)
                .filter(host -> host.name().equals(name))
                .distinct()
                .collect(Collectors.toList());
    }
}
