package io.weir.simulator;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** One request that is answered with a stream, at both sides. */
final class Reading implements Item, Receiver.Owner {

    static final String PORT = "readings";
    static final String NUMBER = "reading";

    private final Simulation simulation;
    private final int number;
    private final Host near;
    private final Host far;
    private final Content request;
    private final Source source;
    private final Receiver receiver;
    /** The handler itself fails. */
    private final boolean failsAtOnce;

    private long begun = -1;
    private @Nullable Incarnation reader;
    private @Nullable Incarnation teller;
    private boolean opened;

    Reading(Simulation simulation, Host near, Host far, List<Reading> known, SplittableRandom chance) {
        this.simulation = simulation;
        this.number = known.size();
        this.near = near;
        this.far = far;
        this.request = new Content(simulation.ledger(), chance);
        this.source = new Source(simulation, new Teller(), chance.split());
        this.receiver = new Receiver(simulation, this, chance.split());
        this.failsAtOnce = chance.nextInt(12) == 0;
        known.add(this);
    }

    @Override
    public void begin() {
        Incarnation here = near.incarnation();
        if (!here.isThere()) {
            return;
        }
        begun = simulation.now();
        reader = here;
        simulation.trace(() -> this + " begins");
        here.node()
                .connect(far.address())
                .doOnNext(peer -> Meeting.check(simulation, peer, here, far, begun))
                .onErrorMap(Talk.Unconnected::new)
                .flatMapMany(this::read)
                .subscribe(receiver);
    }

    private Flux<Message> read(Peer peer) {
        opened = true;
        return peer.stream(PORT, request.message(0, peer.allocator()).with(NUMBER, Integer.toString(number)));
    }

    /** At the side that answers. */
    Publisher<Message> heard(Incarnation there, Message message) {
        String wrong = request.wrong(0, message);
        message.release();
        if (wrong != null) {
            simulation.violated(this + " arrives as a message that " + wrong);
        }
        if (teller != null) {
            simulation.violated(this + " is heard twice");
        }
        teller = there;
        if (failsAtOnce) {
            throw new Source.Planned(this);
        }
        return source;
    }

    boolean sessionMayEnd() {
        return simulation.excuses().session(near, far, begun);
    }

    // At the side that reads.

    @Override
    public Incarnation incarnation() {
        return Objects.requireNonNull(reader);
    }

    @Override
    public Content expected() {
        return source.content();
    }

    /** Who could not connect hears it wherever that is noticed. */
    @Override
    public void onLoop(String who) {
        if (opened) {
            incarnation().mustBeOnLoop(who);
        }
    }

    @Override
    public void receivedAll() {
        if (!source.hasCompleted() || receiver.received() != source.emitted()) {
            simulation.violated(this + " ends in good order after " + receiver.received() + " messages, "
                    + (source.hasCompleted() ? "" : "before its source, ") + "which has emitted " + source.emitted());
        }
    }

    @Override
    public void failed(String half, Throwable error) {
        boolean allowed;
        if (error instanceof Talk.Unconnected unconnected) {
            allowed = Meeting.mayFail(simulation, near, far, begun, unconnected.reason());
        } else if (error instanceof RemoteFailure) {
            allowed = (source.hasFailed() || (failsAtOnce && teller != null))
                    && String.valueOf(error.getMessage()).endsWith("planned by " + this);
        } else {
            allowed = (simulation.excuses().endsSession(error) || error instanceof Refused) && sessionMayEnd();
        }
        if (!allowed) {
            simulation.violated(this + " has failed for no reason that was planned", error);
        }
    }

    @Override
    public boolean isOver() {
        return begun < 0 || receiver.isOver() || incarnation().isStopped();
    }

    @Override
    public void checkAtRest() {
        if (begun >= 0 && !receiver.isOver()) {
            simulation.violated(this + " has come to no end: " + receiver.received() + " messages of "
                    + source.emitted() + " were received, demand " + receiver.demand());
        }
        if (source.isAsked() && !source.isOver()) {
            simulation.violated("the source of " + this + " was left neither ended nor cancelled");
        }
    }

    @Override
    public String toString() {
        return "r" + number;
    }

    /** Whose the source is. */
    private final class Teller implements Source.Owner {

        @Override
        public Incarnation incarnation() {
            return Objects.requireNonNull(teller);
        }

        @Override
        public ByteBufAllocator allocator() {
            return UnpooledByteBufAllocator.DEFAULT;
        }

        @Override
        public long entitled() {
            return receiver.demandAnd(near.spec().windows().initial());
        }

        @Override
        public String toString() {
            return Reading.this.toString();
        }
    }
}
