package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.service.ServiceClient;
import io.weir.spring.ChannelHandler;
import io.weir.spring.ImportRemoteServices;
import io.weir.spring.PeerPort;
import io.weir.spring.RemoteService;
import io.weir.spring.ServedPort;
import io.weir.spring.WeirPeers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** What a developer reads when the application does not start. */
@Tag("one-jdk")
class FailureMessagesTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        SslAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        WeirCodecAutoConfiguration.class,
        WeirAutoConfiguration.class
    })
    static class Application {}

    /** The report of Boot. */
    private static String failure(Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of("--weir.directory=off"));
        for (String each : properties) {
            arguments.add("--" + each);
        }
        try (LogLines lines = new LogLines("org.springframework.boot.diagnostics")) {
            SpringApplication tried = new SpringApplicationBuilder(application)
                    .web(WebApplicationType.NONE)
                    .build();
            Throwable thrown = catchThrowable(
                    () -> tried.run(arguments.toArray(String[]::new)).close());
            assertThat(thrown).as("it has started").isNotNull();
            assertThat(lines.texts()).as(() -> "no report of " + thrown).hasSize(1);
            return lines.texts().get(0);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            weir.nam=x | weir.nam is no setting of Weir | Did you mean weir.name?
            weir.window.item=7 | weir.window.item is no setting of Weir | Did you mean weir.window.items?
            weir.transport.order=shm, tpc | weir.transport.order names 'tpc', which is no path | Did you mean tcp?
            weir.transport.infiniband=off | names 'infiniband', which is no path | Did you mean verbs?
            weir.transport.shm.rings=4m | rings | ring-size
            weir.timeout.drain=soon | weir.timeout.drain=soon is not a time: write 500ms, 5s, 2m or 1h | Write one of the values
            weir.window.bytes=much | weir.window.bytes=much is not a size: write bytes, or 64k, 8m, 1g | Write one of the values
            weir.waiting=never | weir.waiting=never is not one of latency, balanced, frugal | Write one of the values
            weir.listen=nowhere | 'nowhere' is not a peer's address: write tcp://host:port | Write one of the values
            weir.listen=tcp://0.0.0.0:0 | weir.listen | weir.security.secret
            weir.peers.a.adress=tcp://h:1 | weir.peers.a.adress is of no use | Set weir.peers.a.address=tcp://host:port
            weir.peers.a.connect=eager | weir.peers.a.connect is of no use: the peer a has no address | Set weir.peers.a.address=tcp://host:port
            weir.peers.a.ssl.bundle=x | weir.peers.a.ssl.bundle is of no use: the peer a has no address | Set weir.peers.a.address=tcp://host:port
            weir.page.enable=false | weir.page.enable is no setting of Weir | Known: weir.advertise
            weir.peers.a.tries=often | weir.peers.a.tries=often is not a number | Write a whole one
            weir.codec=xml | weir.codec=xml is not what it can be | Write one of cbor, json
            weir.ssl.bundle=none | weir.ssl.bundle=none is no SSL bundle | Define spring.ssl.bundle.pem.none or spring.ssl.bundle.jks.none
            """)
    void ofAProperty(String property, String description, String action) {
        assertThat(failure(Application.class, property))
                .contains("APPLICATION FAILED TO START")
                .contains(description)
                .contains(action)
                .contains("It is set in \"" + property.substring(0, property.indexOf('=')) + "\" from property source");
    }

    @Test
    void ofAPeersBundle() {
        assertThat(failure(Application.class, "weir.peers.a.address=tcp://127.0.0.1:1", "weir.peers.a.ssl.bundle=none"))
                .contains("weir.peers.a.ssl.bundle=none is no SSL bundle");
    }

    @Test
    void ofARequiredPeerThatIsAway() {
        assertThat(failure(
                        Application.class,
                        "weir.peers.ledger.address=tcp://127.0.0.1:1",
                        "weir.peers.ledger.connect=required",
                        "weir.timeout.start=300ms"))
                .contains("Weir can't be started: the peer ledger (tcp://127.0.0.1:1) can't be reached: tried")
                .contains("weir.timeout.start");
    }

    @Test
    void ofAnAddressThatIsTaken() {
        Node other = Objects.requireNonNull(
                Node.start(NodeSpec.builder().name("other").build()).block());
        try {
            assertThat(failure(Application.class, "weir.listen=" + other.address()))
                    .contains(other.address() + " can't be listened at");
        } finally {
            other.close().block();
        }
    }

    interface Ledger {
        Mono<String> balance();
    }

    @RemoteService(service = "ledger")
    static class OneLedger implements Ledger {
        @Override
        public Mono<String> balance() {
            return Mono.just("1");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoOnOnePort extends Application {
        @Bean
        OneLedger first() {
            return new OneLedger();
        }

        @Bean
        @ServedPort("ledger")
        ChannelHandler second() {
            return channel -> Mono.empty();
        }
    }

    @Test
    void ofTwoServicesOnOnePort() {
        assertThat(failure(TwoOnOnePort.class)).contains("service 'ledger' is served by this node already");
    }

    interface Other {}

    @RemoteService
    static class Ambiguous implements Ledger, Other {
        @Override
        public Mono<String> balance() {
            return Mono.just("1");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WithAmbiguous extends Application {
        @Bean
        Ambiguous ambiguous() {
            return new Ambiguous();
        }
    }

    @Test
    void ofAServiceWithTwoInterfaces() {
        assertThat(failure(WithAmbiguous.class))
                .contains("@RemoteService on the bean 'ambiguous'")
                .contains("Say which one is served, by @RemoteService(type = …)");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRemoteServices(group = "nobody", types = Ledger.class)
    static class WithUnknownGroup extends Application {}

    @Test
    void ofAGroupThatIsNoPeer() {
        assertThat(failure(WithUnknownGroup.class))
                .contains("there is no peer 'nobody'")
                .contains("weir.peers.nobody.address=tcp://host:port");
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRemoteServices(group = "a")
    static class WithEmptyGroup extends Application {}

    @Test
    void ofAGroupWithoutInterfaces() {
        assertThat(failure(WithEmptyGroup.class)).contains("names no interface: give it types, or basePackages");
    }

    @Configuration(proxyBeanMethods = false)
    static class WithUnnamedPort extends Application {
        @Bean
        String user(ServiceClient client) {
            return client.name();
        }
    }

    @Test
    void ofAPortThatNobodyNames() {
        assertThat(failure(WithUnnamedPort.class)).contains("annotate it with @PeerPort(peer = …, port = …)");
    }

    @Configuration(proxyBeanMethods = false)
    static class WithUnknownPeer extends Application {
        @Bean
        String user(@PeerPort(peer = "nobody", port = "x") ServiceClient client) {
            return client.name();
        }

        @Bean
        String other(WeirPeers peers) {
            return peers.toString();
        }
    }

    @Test
    void ofAPeerThatNobodyKnows() {
        assertThat(failure(WithUnknownPeer.class)).contains("there is no peer 'nobody'");
    }
}
