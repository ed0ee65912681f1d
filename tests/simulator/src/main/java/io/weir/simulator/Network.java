package io.weir.simulator;

import io.weir.core.Bootstrap;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/** Who listens where, and every link that there is. */
final class Network {

    /** How long one waits for an address that does not answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Simulation simulation;
    private final Promise promise;
    private final Mutation mutation;
    private final Map<PeerAddress, Listening> listeners = new HashMap<>();
    private final Map<Long, ShmHalf> halves = new HashMap<>();
    private final List<Wire> wires = new ArrayList<>();
    private final List<Cut> cuts = new ArrayList<>();
    private Consumer<Wire> onFrame = wire -> {};
    private long refusesShmUntil;
    private int wiresMade;
    private long halvesMade;
    /** Frames of sessions until the mutation. */
    private int untilMutation;

    Network(Simulation simulation, Promise promise, Mutation mutation) {
        this.simulation = simulation;
        this.promise = promise;
        this.mutation = mutation;
        this.untilMutation = mutation == Mutation.NONE ? 0 : simulation.chance().nextInt(1, 100);
    }

    Promise promise() {
        return promise;
    }

    Mutation mutation() {
        return mutation;
    }

    /** Tells of each frame that is delivered. */
    void onFrame(Consumer<Wire> listener) {
        onFrame = listener;
    }

    void carried(Wire wire) {
        onFrame.accept(wire);
    }

    Wire wire(Shape shape, SimLoop first, SimLoop second) {
        wires.removeIf(each -> !each.isOpen());
        Wire wire = new Wire(simulation, shape, ++wiresMade, first, second);
        wires.add(wire);
        simulation.trace(() -> wire + " is there: " + shape);
        return wire;
    }

    /** Links that are open at one end at least. */
    List<Wire> wires() {
        wires.removeIf(each -> !each.isOpen());
        return wires;
    }

    Bootstrap.Listener listen(PeerAddress address, Incarnation owner, Supplier<Loop> loops, Consumer<Link> accepted) {
        Listening listening = new Listening(address, owner, loops, accepted);
        listeners.put(address, listening);
        return listening;
    }

    void connect(PeerAddress address, SimLoop loop, MonoSink<Link> sink) {
        boolean[] cancelled = {false};
        sink.onCancel(() -> cancelled[0] = true);
        simulation.after(simulation.chance().nextLong(1_000, 300_000), () -> {
            Listening listening = listeners.get(address);
            if (loop.hasEnded() || cancelled[0]) {
                return;
            }
            if (listening == null) {
                fail(loop, sink, new PeerUnavailable(address + " refuses the connection"));
            } else if (listening.owner.isDead() || isCut(loop.owner().host(), listening.owner.host())) {
                simulation.after(
                        PATIENCE.toNanos(), () -> fail(loop, sink, new PeerUnavailable(address + " does not answer")));
            } else {
                SimLoop theirs = (SimLoop) listening.loops.get();
                if (theirs.hasEnded()) {
                    fail(loop, sink, new PeerUnavailable(address + " refuses the connection"));
                } else {
                    Wire wire = wire(Shape.tcp(simulation.chance()), loop, theirs);
                    theirs.execute(() -> listening.accepted.accept(wire.second()));
                    give(wire.first(), sink, cancelled);
                }
            }
        });
    }

    private static void fail(SimLoop loop, MonoSink<Link> sink, PeerUnavailable reason) {
        try {
            loop.execute(() -> sink.error(reason));
        } catch (RejectedExecutionException e) {
            // Nobody is left to hear it.
        }
    }

    private static void give(SimLink link, MonoSink<Link> sink, boolean[] cancelled) {
        link.loop().execute(() -> {
            if (cancelled[0]) {
                link.close();
            } else {
                sink.success(link);
            }
        });
    }

    /** Its links end at the others' side, each after a time of its own, unless that happens silently. */
    void died(Incarnation dead, boolean silently) {
        halves.values().removeIf(half -> half.loop().owner() == dead);
        if (!silently) {
            listeners.values().removeIf(listening -> listening.owner == dead);
        }
        for (SimLink each : dead.links()) {
            each.wire().dies(dead, simulation.upTo(Duration.ofMillis(20)), silently);
        }
    }

    /** Nothing comes through between these hosts for this time but what needs no network. */
    void cut(Host one, Host other, Duration time) {
        cuts.add(new Cut(one, other, simulation.now() + time.toNanos()));
    }

    private boolean isCut(Host one, Host other) {
        return cuts.stream()
                .anyMatch(cut -> cut.until > simulation.now()
                        && ((cut.one == one && cut.other == other) || (cut.one == other && cut.other == one)));
    }

    private record Cut(Host one, Host other, long until) {}

    /** No new link over shared memory for this time. */
    void refuseShm(Duration time) {
        refusesShmUntil = simulation.now() + time.toNanos();
    }

    PendingLink prepare(SimLoop loop) {
        ShmHalf.Refusal refusal = ShmHalf.Refusal.NONE;
        if (simulation.now() < refusesShmUntil) {
            ShmHalf.Refusal[] all = ShmHalf.Refusal.values();
            refusal = all[simulation.chance().nextInt(all.length)];
        }
        if (refusal == ShmHalf.Refusal.NOT_PREPARED) {
            throw new PeerUnavailable("shared memory is not to be had");
        }
        ShmHalf half = new ShmHalf(simulation, loop, ++halvesMade, refusal);
        halves.put(halvesMade, half);
        return half;
    }

    @Nullable
    ShmHalf half(long number) {
        return halves.get(number);
    }

    void withdraw(long number) {
        halves.remove(number);
    }

    /** What shall be done to this frame, which is about to be sent. */
    Mutation mutationOf(Parcel parcel) {
        if (mutation == Mutation.ALTERS_A_PROOF) {
            return mutationOfProof(parcel);
        }
        if (untilMutation == 0 || parcel.kind.code() < FrameKind.OPEN.code()) {
            return Mutation.NONE;
        }
        boolean body = mutation == Mutation.ALTERS_A_BODY || mutation == Mutation.LEAKS_A_BODY;
        boolean message = parcel.kind == FrameKind.DATA || parcel.kind == FrameKind.NEXT;
        if (body && !(message && parcel.body.readableBytes() >= 64)) {
            return Mutation.NONE;
        }
        if (--untilMutation > 0) {
            return Mutation.NONE;
        }
        simulation.trace(() -> "MUTATION " + mutation + " of " + parcel);
        return mutation;
    }

    /** There are few of them. */
    private Mutation mutationOfProof(Parcel parcel) {
        if (untilMutation == 0 || parcel.kind != FrameKind.PROOF) {
            return Mutation.NONE;
        }
        untilMutation = 0;
        simulation.trace(() -> "MUTATION " + mutation + " of " + parcel);
        return mutation;
    }

    /** Spoils the header so that it can't be taken for anything that has its place. */
    void corrupt(Parcel parcel) {
        simulation.trace(() -> "corrupted: " + parcel);
        if (parcel.kind.code() > FrameKind.OPEN.code() && simulation.oneIn(2)) {
            parcel.channel = 0x7fff_fff0 | parcel.channel & 1;
        } else {
            parcel.kind = parcel.kind == FrameKind.HELLO ? FrameKind.PROBE : FrameKind.HELLO;
        }
    }

    private final class Listening implements Bootstrap.Listener {

        private final PeerAddress address;
        final Incarnation owner;
        final Supplier<Loop> loops;
        final Consumer<Link> accepted;

        Listening(PeerAddress address, Incarnation owner, Supplier<Loop> loops, Consumer<Link> accepted) {
            this.address = address;
            this.owner = owner;
            this.loops = loops;
            this.accepted = accepted;
        }

        @Override
        public PeerAddress address() {
            return address;
        }

        @Override
        public void dispose() {
            listeners.remove(address, this);
        }

        @Override
        public boolean isDisposed() {
            return listeners.get(address) != this;
        }
    }
}
