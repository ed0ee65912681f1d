package io.weir.samples.manual;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PortSpec;
import io.weir.config.Secret;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.peer.Arrival;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Mono;

/** A node that other hosts reach, and who may do what there. */
public final class Guarded {

    private static final Codec<String> TEXT = Codecs.text();

    private Guarded() {}

    public static NodeSpec spec(Path file, String address) {
        // tag::secret
        NodeSpec spec = NodeSpec.builder()
                .name("billing")
                .listen(address)
                .secret(Secret.ofFile(file))
                .port("refunds", new PortSpec(PathPolicy.unchanged(), Set.of("name:till")))
                .build();
        // end::secret
        return spec;
    }

    public static void serve(Node node) {
        // tag::authorise
        node.authorise((peer, port) -> port.equals("prices") || peer.name().startsWith("till"));
        // end::authorise
        // tag::identity
        node.serve("prices", channel -> {
            String who = channel.peer().identity().proved()
                    ? channel.peer().identity().name()
                    : "stranger";
            return channel.send(Mono.just("good morning, " + who), TEXT);
        });
        // end::identity
        node.answer("refunds", TEXT, TEXT, Mono::just);
    }

    /** Raises an alarm for those who have not proved what they have to. */
    record Alarms(Consumer<String> alarm) {

        // tag::arrived
        @EventListener
        void arrived(Arrival arrival) {
            if (arrival.outcome() == Arrival.Outcome.UNPROVED) {
                alarm.accept(arrival.from() + ": " + arrival.reason());
            }
        }
        // end::arrived
    }
}
