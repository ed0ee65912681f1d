package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.peer.Arrival;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

/** Who connects to the application's node is an event of the application. */
class ArrivalEventsTest {

    static class Watching {

        final List<Arrival> arrivals = new CopyOnWriteArrayList<>();
        volatile boolean fails;

        @EventListener
        void arrived(Arrival arrival) {
            arrivals.add(arrival);
            if (fails) {
                throw new IllegalStateException("a listener that fails");
            }
        }
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    WeirCodecAutoConfiguration.class,
                    WeirAutoConfiguration.class))
            .withBean(Watching.class, Watching::new)
            .withPropertyValues("weir.directory=off", "weir.listen=127.0.0.1:0");

    @Test
    void aListenerHearsOfThemAlsoBehindOneThatItHasFailedWith() {
        runner.run(context -> {
            Watching watching = context.getBean(Watching.class);
            watching.fails = true;
            Node node = context.getBean(Node.class);
            for (String name : List.of("first", "second")) {
                Node near = Objects.requireNonNull(
                        Node.start(NodeSpec.builder().name(name).build()).block(Patience.LIMIT));
                try {
                    var unused = near.connect(node.address()).block(Patience.LIMIT);
                    Patience.until(
                            () -> name + " among " + watching.arrivals,
                            () -> watching.arrivals.stream()
                                    .anyMatch(each -> each.outcome() == Arrival.Outcome.CONNECTED
                                            && near.id().equals(each.claimed())));
                } finally {
                    near.close().block(Patience.LIMIT);
                }
            }
            assertThat(watching.arrivals).hasSize(2);
        });
    }
}
