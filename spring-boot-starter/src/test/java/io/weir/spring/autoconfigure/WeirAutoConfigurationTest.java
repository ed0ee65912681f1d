package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.PeerUnavailable;
import io.weir.peer.Arrival;
import io.weir.service.ServiceClient;
import io.weir.service.Services;
import io.weir.service.remote.CallCodec;
import io.weir.spring.ChannelHandler;
import io.weir.spring.ImportRemoteServices;
import io.weir.spring.NodeSpecCustomizer;
import io.weir.spring.PeerPort;
import io.weir.spring.PeersConnectionDetails;
import io.weir.spring.RemoteService;
import io.weir.spring.ServedPort;
import io.weir.spring.WeirPeer;
import io.weir.spring.WeirPeers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class WeirAutoConfigurationTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Codec<String> TEXT = Codecs.text();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    WeirCodecAutoConfiguration.class,
                    WeirAutoConfiguration.class))
            .withPropertyValues("weir.directory=off");

    @Test
    void withoutAPropertyThereIsANodeForThisHostOnly() {
        try (LogLines lines = new LogLines("io.weir.spring")) {
            runner.run(context -> {
                assertThat(context)
                        .hasSingleBean(Node.class)
                        .hasSingleBean(Services.class)
                        .hasSingleBean(WeirPeers.class)
                        .hasSingleBean(CallCodec.class);
                Node node = context.getBean(Node.class);
                assertThat(node.address().host()).isEqualTo("127.0.0.1");
                assertThat(lines.texts())
                        .singleElement()
                        .isEqualTo(node.id() + " is open at " + node.address()
                                + ", for this host only: set weir.listen to let others in");
            });
        }
    }

    @Test
    void itCanBeSwitchedOff() {
        runner.withPropertyValues("weir.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Node.class).doesNotHaveBean(CallCodec.class));
    }

    @Test
    void theNodeIsClosedWithTheContext() {
        Node[] node = new Node[1];
        runner.run(context -> node[0] = context.getBean(Node.class));
        node[0].closed().block(LIMIT);
    }

    @Test
    void beansOfTheUserGoFirst() {
        NodeSpec spec = NodeSpec.builder().name("mine").build();
        runner.withBean(NodeSpec.class, () -> spec)
                .run(context -> assertThat(context.getBean(Node.class).spec()).isSameAs(spec));
    }

    @Test
    void customizersHaveTheLastWord() {
        runner.withPropertyValues("weir.name=first")
                .withBean(NodeSpecCustomizer.class, () -> builder -> builder.name("second"))
                .run(context ->
                        assertThat(context.getBean(Node.class).id().name()).isEqualTo("second"));
    }

    @Test
    void theNodeIsNamedAsTheApplication() {
        runner.withPropertyValues("spring.application.name=billing")
                .run(context ->
                        assertThat(context.getBean(Node.class).id().name()).isEqualTo("billing"));
    }

    @Test
    void anOwnNodeOfTheApplicationIsTheOnlyOne() {
        Node own = Objects.requireNonNull(
                Node.prepare(NodeSpec.builder().name("own").build()).block(LIMIT));
        runner.withBean(
                        Node.class,
                        () -> own,
                        definition -> ((AbstractBeanDefinition) definition).setDestroyMethodName(""))
                .withUserConfiguration(Server.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(Node.class);
                    assertThat(context.getBean(Node.class)).isSameAs(own);
                    assertThat(context.getBean(Services.class).served()).hasSize(3);
                });
        own.closed().block(LIMIT);
    }

    @Test
    void bootsOwnExecutorStaysWhatItIs() {
        runner.withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
                .run(context ->
                        assertThat(context).hasBean("applicationTaskExecutor").hasBean("weirCallThreads"));
    }

    @Test
    void aPeerThatIsNotWaitedForFailsACallWhenItsOneTryHasFailed() {
        runner.withPropertyValues("weir.peers.far.address=tcp://127.0.0.1:1", "weir.peers.far.wait=0s")
                .run(context -> {
                    ServiceClient desk =
                            context.getBean(WeirPeers.class).get("far").port("desk");
                    assertThatThrownBy(() -> desk.ask("?", TEXT, TEXT).block(LIMIT))
                            .isInstanceOf(PeerUnavailable.class)
                            .hasMessageContaining("peer far: ")
                            .hasMessageEndingWith("calls do not wait for more than one try");
                });
    }

    @Test
    void detailsGoBeforePropertiesAndMakePeersOfTheirOwn() {
        runner.withPropertyValues("weir.peers.a.address=tcp://127.0.0.1:1", "weir.peers.b.address=tcp://127.0.0.1:2")
                .withBean(
                        PeersConnectionDetails.class,
                        () -> () -> Map.of("b", "tcp://127.0.0.1:3", "c", "tcp://127.0.0.1:4"))
                .run(context -> {
                    assertThat(context.getBean(WeirPeers.class).names()).containsExactly("a", "b", "c");
                    NodeSpec spec = context.getBean(NodeSpec.class);
                    assertThat(spec.peers().get("a").address().port()).isEqualTo(1);
                    assertThat(spec.peers().get("b").address().port()).isEqualTo(3);
                });
    }

    @Test
    void propertiesPrintNoSecret() {
        runner.withPropertyValues(
                        "weir.security.secret=hush-hush-hush-hush",
                        "weir.tls.key-password=hush",
                        "weir.tls.key-store-password=hush",
                        "weir.tls.trust-store-password=hush",
                        "weir.peers.a.password=hush-hush",
                        "weir.services.s.password=hush-hush")
                .run(context -> {
                    WeirProperties properties = context.getBean(WeirProperties.class);
                    assertThat(properties.tlsKeyPassword()).isEqualTo("hush");
                    assertThat(properties + " " + properties.security() + properties.peers() + properties.services())
                            .doesNotContain("hush");
                });
    }

    interface Greeter {
        Mono<String> greet(String name);

        String shout(String name);
    }

    @RemoteService
    static class PoliteGreeter implements Greeter {
        @Override
        public Mono<String> greet(String name) {
            return Mono.just("Hello, " + name);
        }

        @Override
        public String shout(String name) {
            return name.toUpperCase(java.util.Locale.ROOT) + " on "
                    + Thread.currentThread().getName();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Server {
        @Bean
        PoliteGreeter greeter() {
            return new PoliteGreeter();
        }

        @Bean
        @ServedPort("upper")
        ChannelHandler upperCase() {
            return channel ->
                    channel.send(channel.receive(TEXT).map(text -> text.toUpperCase(java.util.Locale.ROOT)), TEXT);
        }

        @Bean
        @ServedPort(value = "${slow.port:slow}", blocking = true)
        ChannelHandler blocking() {
            return channel -> {
                String all = channel.receive(TEXT).toStream().collect(Collectors.joining("+"));
                return channel.send(Mono.just(all), TEXT);
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRemoteServices(group = "server", types = Greeter.class)
    static class Client {
        @Bean
        Caller caller(
                Greeter greeter,
                @Qualifier("server") WeirPeer server,
                @PeerPort(peer = "server", port = "upper") ServiceClient upper,
                @PeerPort(peer = "server", port = "slow") Mono<Channel> slow) {
            return new Caller(greeter, server, upper, slow);
        }
    }

    record Caller(Greeter greeter, WeirPeer server, ServiceClient upper, Mono<Channel> slow) {}

    @Test
    void whatIsServedIsCalled() {
        runner.withUserConfiguration(Server.class).run(server -> {
            String address = server.getBean(Node.class).address().toString();
            runner.withUserConfiguration(Client.class)
                    .withPropertyValues("weir.peers.server.address=" + address, "weir.peers.server.deadline=20s")
                    .run(client -> {
                        Caller caller = client.getBean(Caller.class);
                        assertThat(caller.greeter().greet("Ada").block(LIMIT)).isEqualTo("Hello, Ada");
                        assertThat(caller.greeter().shout("Ada")).startsWith("ADA on weir-call-");
                        assertThat(Flux.just("a", "b")
                                        .transform(caller.upper().stage(TEXT, TEXT))
                                        .collectList()
                                        .block(LIMIT))
                                .containsExactly("A", "B");
                        Channel slow = Objects.requireNonNull(caller.slow().block(LIMIT));
                        assertThat(slow.send(Flux.just("x", "y"), TEXT)
                                        .then(slow.receive(TEXT).next())
                                        .block(LIMIT))
                                .isEqualTo("x+y");
                        Peer connection = caller.server().connection().block(LIMIT);
                        assertThat(Objects.requireNonNull(connection).path().chosen())
                                .isPresent();
                    });
        });
    }

    static class FailingListener {

        final List<Arrival> arrivals = new CopyOnWriteArrayList<>();

        @EventListener
        void arrived(Arrival arrival) {
            arrivals.add(arrival);
            throw new AssertionError("a listener that fails");
        }
    }

    @Test
    void eachConnectionThatComesIsAnEventAlsoBehindOneThatAListenerHasFailedWith() {
        try (LogLines lines = new LogLines("io.weir.spring")) {
            runner.withBean(FailingListener.class).run(context -> {
                List<Arrival> arrivals = context.getBean(FailingListener.class).arrivals;
                Node node = context.getBean(Node.class);
                for (String name : List.of("first", "second")) {
                    Node near = Objects.requireNonNull(
                            Node.start(NodeSpec.builder().name(name).build()).block(LIMIT));
                    try {
                        var unused = near.connect(node.address()).block(LIMIT);
                        Patience.until(
                                () -> name + " among " + arrivals,
                                () -> arrivals.stream()
                                        .anyMatch(each -> each.outcome() == Arrival.Outcome.CONNECTED
                                                && near.id().equals(each.claimed())));
                    } finally {
                        near.close().block(LIMIT);
                    }
                }
                assertThat(arrivals).hasSize(2);
                Patience.until(
                        () -> "failures among " + lines.texts(),
                        () -> lines.texts().stream()
                                        .filter(line -> line.contains("a listener that fails"))
                                        .count()
                                == 2);
            });
        }
    }
}
