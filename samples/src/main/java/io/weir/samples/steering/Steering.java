package io.weir.samples.steering;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.samples.process.Cast;
import io.weir.samples.process.Sample;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import picocli.CommandLine.Command;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** {@code weir sample steering} */
@Command(
        name = "steering",
        description = {
            "A simulation in another process heats a plate, 1000 steps a second, and streams it to a viewer, "
                    + "which takes 5 ms for a picture.",
            "Over the same channel the viewer steers it: when it sees that a place is the warmest one, it moves "
                    + "the burner to the next."
        })
public final class Steering extends Sample {

    private static final Duration STEP = Duration.ofMillis(1);
    private static final Duration LOOK = Duration.ofMillis(5);
    private static final List<Burner> TOUR =
            List.of(new Burner(5, 5), new Burner(26, 5), new Burner(26, 26), new Burner(5, 26));

    private static final Codec<Burner> BURNER = Codecs.json(Burner.class);

    /** The simulation, in a process of its own. */
    public static void main(String[] arguments) throws IOException {
        Serving.until(Serving.spec("simulation"), Steering::serve);
    }

    private static void serve(Node node) {
        // tag::simulation
        node.serve("plate", channel -> {
            Plate plate = new Plate();
            Flux<Frame> frames = Flux.interval(STEP).map(tick -> plate.step()).onBackpressureLatest();
            Mono<Void> steered = channel.receive(BURNER).doOnNext(plate::steer).then();
            return channel.send(frames, Frame.CODEC).and(steered);
        });
        // end::simulation
    }

    private static Flux<Frame> view(Peer simulation, Flux<Burner> wishes) {
        // tag::viewer
        Flux<Frame> frames = wishes.transform(simulation.stage("plate", BURNER, Frame.CODEC))
                .limitRate(1)
                .concatMap(frame -> Mono.just(frame).delayElement(LOOK), 0);
        // end::viewer
        return frames;
    }

    /** Nothing is sent before it is asked for, so that each picture is the latest one. */
    @Override
    protected NodeSpec.Builder tune(NodeSpec.Builder spec) {
        return spec.initialItems(0);
    }

    @Override
    protected void play(Cast cast) {
        Peer simulation = cast.start("simulation", Steering.class);
        Sinks.Many<Burner> wishes = Sinks.many().unicast().onBackpressureBuffer();
        AtomicInteger seen = new AtomicInteger();
        AtomicInteger reached = new AtomicInteger();
        wishes.tryEmitNext(TOUR.get(0)).orThrow();
        Frame last = cast.await(view(simulation, wishes.asFlux())
                .doOnNext(frame -> {
                    seen.incrementAndGet();
                    if (frame.warmest().equals(TOUR.get(reached.get()))) {
                        cast.row("step " + frame.step(), "the warmest place is " + frame.warmest());
                        wishes.tryEmitNext(TOUR.get(reached.incrementAndGet() % TOUR.size()))
                                .orThrow();
                    }
                })
                .takeUntil(frame -> reached.get() == TOUR.size())
                .last());
        cast.row("viewer", "has seen " + seen + " pictures of " + last.step() + " steps");
        cast.shows(reached.get() == TOUR.size(), "the simulation does what the viewer wants, while it runs");
        cast.shows(seen.get() < last.step(), "the simulation does not wait for the viewer, which sees the latest step");
    }
}
