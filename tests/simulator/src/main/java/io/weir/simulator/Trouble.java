package io.weir.simulator;

import io.weir.channel.Peer;
import io.weir.core.PeerUnavailable;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing that goes wrong, as the frame with a certain number arrives: it happens to the link that brings it, or to
 * one of its nodes.
 */
final class Trouble {

    /** What may go wrong. */
    enum Kind {
        STALL,
        BREAK,
        BREAK_OF_BOOTSTRAP,
        CUT_OF_NETWORK,
        NO_SHM,
        CORRUPTION,
        PAUSE,
        DEATH,
        SILENT_DEATH,
        LEAVING,
        END_OF_PEER
    }

    private static final Duration STALL = Duration.ofSeconds(20);

    /** Until a bootstrap connection that was reset is replaced. */
    private static final Duration AT_ONCE = Duration.ofMillis(600);

    /** Shorter than sessions wait, by what it takes until somebody connects anew. */
    private static final Duration SHORT_CUT = Duration.ofSeconds(15);

    private static final Duration LONG_CUT = Duration.ofSeconds(45);

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

    /** Links that break are what most is promised about. */
    private static Kind kind(SplittableRandom chance) {
        Kind[] all = Kind.values();
        return switch (chance.nextInt(6)) {
            case 0, 1 -> Kind.BREAK;
            case 2 -> Kind.BREAK_OF_BOOTSTRAP;
            default -> all[chance.nextInt(all.length)];
        };
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
            case CUT_OF_NETWORK -> cutNetwork(wire);
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
        if (stays(broken)) {
            excuseSession(broken, Excuses.ENDED);
            expectEnd(broken);
        }
        shatter(broken, Duration.ofSeconds(2), new SessionLost("the link is broken"));
    }

    private void shatter(Wire wire, Duration latest, WeirException reason) {
        boolean late = chance.nextInt(3) == 0;
        long soon = chance.nextLong(100_000);
        long later = late ? chance.nextLong(latest.toNanos()) : chance.nextLong(2_000_000);
        if (chance.nextBoolean()) {
            wire.breaks(soon, later, reason);
        } else {
            wire.breaks(later, soon, reason);
        }
    }

    private static boolean stays(Wire wire) {
        return wire.first().owner().host().staysWith(wire.second().owner().host());
    }

    /** A session that does not change its path, and this is it, must end on both sides. */
    private void expectEnd(Wire wire) {
        if (wire.isUsed() && !wire.first().isOver() && !wire.second().isOver()) {
            expectEnd(wire.first().owner(), wire.second().owner());
            expectEnd(wire.second().owner(), wire.first().owner());
        }
    }

    @SuppressWarnings("ReferenceEquality") // Which session it is.
    private void expectEnd(Incarnation here, Incarnation there) {
        Peer peer = here.isThere() ? here.peer(there) : null;
        if (peer == null) {
            return;
        }
        simulation.after(Excuses.GIVEN_UP.toNanos(), () -> {
            boolean wasThere =
                    here.isThere() && !here.isStopped() && simulation.now() - here.wentOn() > Excuses.ENDED.toNanos();
            if (wasThere && here.peer(there) == peer) {
                simulation.violated("the session of " + here + " with " + there
                        + " has lost its path, does not go on over another one, and has not ended");
            }
        });
    }

    private void excuseSession(Wire wire, Duration noticed) {
        simulation
                .excuses()
                .session(wire.first().owner().host(), wire.second().owner().host(), noticed);
    }

    /** Both sides notice so soon that neither takes the other for dead. */
    private void breakBootstrap(Wire wire) {
        Wire broken = oneOfBootstrap(wire);
        if (broken == null) {
            return;
        }
        say(broken);
        mayFail(broken, AT_ONCE);
        shatter(broken, Duration.ofMillis(50), new SessionLost("the connection was reset"));
    }

    private void cutNetwork(Wire wire) {
        Wire broken = oneOfBootstrap(wire);
        if (broken == null) {
            return;
        }
        Host one = broken.first().owner().host();
        Host other = broken.second().owner().host();
        boolean tooLong = chance.nextInt(4) == 0;
        Duration time = tooLong ? LONG_CUT : upTo(SHORT_CUT);
        say(one + " from " + other + " for " + time);
        simulation.network().cut(one, other, time);
        Duration noticed = time.plus(Excuses.UNREACHABLE);
        simulation.excuses().connecting(one, other, noticed);
        for (Wire each : simulation.network().wires()) {
            if (each.isBetween(one, other) && isOverNetwork(each)) {
                mayFail(each, noticed);
                shatter(each, Duration.ofSeconds(2), new PeerUnavailable("nothing is heard any more"));
            }
        }
        if (tooLong) {
            simulation.excuses().session(one, other, noticed);
        }
    }

    private static boolean isOverNetwork(Wire wire) {
        return wire.shape().transport().equals(TcpTransport.NAME);
    }

    private @Nullable Wire oneOfBootstrap(Wire wire) {
        List<Wire> all = simulation.network().wires().stream()
                .filter(Trouble::isOverNetwork)
                .toList();
        return all.isEmpty() ? null : all.contains(wire) ? wire : all.get(chance.nextInt(all.size()));
    }

    /** A session outlives this unless more happens to it in the same time; a handshake does not. */
    private void mayFail(Wire wire, Duration noticed) {
        Incarnation one = wire.first().owner();
        Incarnation other = wire.second().owner();
        boolean more = one.isStopped() || other.isStopped() || stays(wire);
        if (stays(wire)) {
            expectEnd(wire);
        }
        simulation.excuses().connecting(one.host(), other.host(), Excuses.NOTICED);
        if (more || !wire.isOfSession() || simulation.excuses().isFragile(one.host(), other.host())) {
            // One side may have a session already, which waits in vain.
            excuseSession(wire, noticed.plus(Excuses.RESUME));
        }
        simulation.excuses().fragile(one.host(), other.host(), noticed);
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
        simulation.excuses().corrupted();
        wire.corrupt(chance.nextBoolean());
    }

    private void pause(Incarnation paused) {
        if (paused.isStopped() || !paused.isThere()) {
            return;
        }
        Duration time = upTo(Duration.ofSeconds(20));
        say(paused + " for " + time);
        simulation.excuses().connecting(paused.host(), null, time.plus(Excuses.NOTICED));
        simulation.excuses().moreHappensTo(paused.host(), time.plus(Excuses.NOTICED));
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
