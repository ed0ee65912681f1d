package io.weir.simulator;

import io.weir.core.Bootstrap;
import io.weir.core.Link;
import io.weir.core.Loop;
import io.weir.core.PeerAddress;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import java.util.function.Consumer;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** The network of the simulation whose thread calls. */
public final class SimBootstrap implements Bootstrap {

    @Override
    public Loop newLoop(String name, Waiting waiting, TransportSettings settings) {
        Simulation simulation = Simulation.current();
        Incarnation owner = simulation.starting();
        SimLoop loop =
                new SimLoop(simulation, owner, owner + "/" + owner.loops().size());
        owner.loops().add(loop);
        return loop;
    }

    @Override
    public Mono<Listener> bind(
            PeerAddress address, TransportSettings settings, Supplier<Loop> loops, Consumer<Link> accepted) {
        Simulation simulation = Simulation.current();
        Incarnation owner = simulation.starting();
        return Mono.fromCallable(() -> simulation.network().listen(address, owner, loops, accepted));
    }

    @Override
    public Mono<Link> connect(PeerAddress address, TransportSettings settings, Loop loop) {
        Simulation simulation = Simulation.current();
        return Mono.create(sink -> simulation.network().connect(address, (SimLoop) loop, sink));
    }
}
