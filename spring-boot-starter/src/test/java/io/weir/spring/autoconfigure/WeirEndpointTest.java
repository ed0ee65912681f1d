package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.Requirement;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.service.gateway.Gateway;
import io.weir.service.gateway.GatewaySpec;
import io.weir.spring.ChannelHandler;
import io.weir.spring.WeirPeers;
import io.weir.spring.endpoint.WeirEndpoint;
import io.weir.spring.endpoint.WeirReport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The endpoint as applications have it: over HTTP with both kinds of web server, and over JMX. */
@Tag("one-jdk")
class WeirEndpointTest {

    private static final Codec<String> TEXT = Codecs.text();
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<ConfigurableApplicationContext> applications = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();

    @SpringBootConfiguration
    @EnableWithoutSecurity
    static class App {
        @Bean
        ChannelHandler echo() {
            return channel -> channel.send(channel.receive(TEXT), TEXT);
        }
    }

    @SpringBootConfiguration
    @EnableWithoutSecurity
    static class GatewayApp {
        @Bean(destroyMethod = "")
        Gateway gateway(Node node) {
            return Gateway.serve(node, GatewaySpec.allowing("127.0.0.0/8"));
        }
    }

    @AfterEach
    void stop() {
        applications.forEach(ConfigurableApplicationContext::close);
        nodes.forEach(node -> node.close().block(Patience.LIMIT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactive", "servlet"})
    void itShowsTheNodeItsPeersAndTheirPaths(String web) throws Exception {
        Node far = start(NodeSpec.builder().name("far"));
        var unused = far.answer("upper", TEXT, TEXT, text -> Mono.just(text + "!"));
        var context = run(
                App.class,
                web,
                "management.endpoints.web.exposure.include=weir",
                "weir.directory=local",
                "weir.runtime-folder=target/endpoint-" + web,
                "weir.peers.far.address=" + far.address(),
                "weir.peers.nobody.address=tcp://127.0.0.1:1",
                "weir.peers.nobody.connect=eager",
                "weir.peers.looked-up.service=echo");
        Peer peer = Objects.requireNonNull(
                context.getBean(WeirPeers.class).get("far").connection().block(Patience.LIMIT));
        assertThat(Flux.range(0, 64)
                        .concatMap(i -> peer.ask("upper", "a", TEXT, TEXT))
                        .blockLast(Patience.LIMIT))
                .isEqualTo("a!");

        Patience.until(() -> "the report is complete", () -> {
            JsonNode report = json(get(context, "/actuator/weir"));
            return report.at("/peers/2/lastFailure").isString()
                    && report.at("/peers/1/instances").isNumber()
                    && report.at("/members/0/id").isString();
        });
        JsonNode report = json(get(context, "/actuator/weir"));
        ReportShape.check(report, WeirReport.class);
        assertThat(report.at("/format").intValue()).isEqualTo(WeirReport.FORMAT);
        assertThat(report.at("/node/id").stringValue())
                .isEqualTo(context.getBean(Node.class).id().toString());
        assertThat(report.at("/peers/0/name").stringValue()).isEqualTo("far");
        assertThat(report.at("/peers/0/state").stringValue()).isEqualTo("connected");
        assertThat(report.at("/peers/0/connection").stringValue())
                .isEqualTo(far.id().toString());
        assertThat(report.at("/peers/1/state").stringValue()).isEqualTo("directory");
        assertThat(report.at("/peers/1/instances").intValue()).isEqualTo(1);
        JsonNode connection = report.at("/connections/0");
        assertThat(connection.at("/id").stringValue()).isEqualTo(far.id().toString());
        assertThat(connection.at("/path/chosen").stringValue()).isEqualTo("local");
        assertThat(attempt(connection, "elan").at("/reason").stringValue()).isNotBlank();
        assertThat(connection.at("/sent/messages").longValue()).isGreaterThanOrEqualTo(64);
        assertThat(connection.at("/roundTrips/p50Nanos").longValue()).isPositive();
        assertThat(connection.has("channels")).isFalse();
        assertThat(report.at("/services/0/service").stringValue()).isEqualTo("echo");
        assertThat(report.at("/serving").intValue()).isEqualTo(1);

        JsonNode one = json(get(context, "/actuator/weir/far"));
        ReportShape.check(one, WeirReport.OnePeer.class);
        assertThat(one.at("/connection/channels/0/port").stringValue()).isEqualTo("upper");
        JsonNode same = json(get(context, "/actuator/weir/" + far.id().id()));
        assertThat(same.at("/connection/id")).isEqualTo(one.at("/connection/id"));
        assertThat(same.has("peer")).isFalse();
        JsonNode away = json(get(context, "/actuator/weir/nobody"));
        assertThat(away.has("connection")).isFalse();
        assertThat(get(context, "/actuator/weir/unknown").statusCode()).isEqualTo(404);
        assertThat(post(context, "/actuator/weir/far", "{\"order\":\"tcp\"}").statusCode())
                .isEqualTo(405);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactive", "servlet"})
    void theOrderOfPathsIsChangedWhereThatIsAllowed(String web) throws Exception {
        Node far = start(NodeSpec.builder().name("far"));
        var context = run(
                App.class,
                web,
                "management.endpoints.web.exposure.include=weir",
                "management.endpoint.weir.access=unrestricted",
                "weir.directory=off",
                "weir.peers.far.address=" + far.address());
        var unused = context.getBean(WeirPeers.class).get("far").connection().block(Patience.LIMIT);

        var changed = post(context, "/actuator/weir/far", "{\"order\":\"tcp, local\"}");
        assertThat(changed.statusCode()).isEqualTo(200);
        JsonNode one = json(changed);
        ReportShape.check(one, WeirReport.OnePeer.class);
        assertThat(one.at("/connection/path/chosen").stringValue()).isEqualTo("tcp");
        assertThat(one.at("/connection/path/cause").isString()).isTrue();
        assertThat(one.at("/connection/history/0/chosen").stringValue()).isEqualTo("local");

        var misspelt = post(context, "/actuator/weir/far", "{\"order\":\"tpc\"}");
        assertThat(misspelt.statusCode()).isEqualTo(400);
        assertThat(json(misspelt).at("/reason").stringValue()).contains("tpc");
        assertThat(post(context, "/actuator/weir/far", "{\"order\":\"tcp,\"}").statusCode())
                .isEqualTo(400);
        assertThat(post(context, "/actuator/weir/far", "{}").statusCode()).isEqualTo(400);
        assertThat(post(context, "/actuator/weir/unknown", "{\"order\":\"tcp\"}")
                        .statusCode())
                .isEqualTo(404);

        Node near = start(NodeSpec.builder().name("near"));
        var connected = near.connect(context.getBean(Node.class).address()).block(Patience.LIMIT);
        Patience.until(
                () -> "it is connected",
                () -> context.getBean(Node.class).connected().size() == 2);
        var refused = post(context, "/actuator/weir/" + near.id().id(), "{\"order\":\"tcp\"}");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(json(refused).at("/reason").isString()).isTrue();
        assertThat(Objects.requireNonNull(connected)
                        .path()
                        .chosen()
                        .orElseThrow()
                        .path())
                .isEqualTo("local");
    }

    @Test
    void aGatewayShowsWhoSpeaksThroughIt() throws Exception {
        Node far = start(NodeSpec.builder().name("far").require(Requirement.NONE));
        var context = run(
                GatewayApp.class, "servlet", "management.endpoints.web.exposure.include=weir", "weir.directory=off");
        Node near = start(NodeSpec.builder().name("near").require(Requirement.NONE));
        Peer gateway = Objects.requireNonNull(
                near.connect(context.getBean(Node.class).address()).block(Patience.LIMIT));
        var unused = near.connect(far.address(), gateway).block(Patience.LIMIT);
        JsonNode report = json(get(context, "/actuator/weir"));
        ReportShape.check(report, WeirReport.class);
        assertThat(report.at("/joined/0/client").stringValue())
                .isEqualTo(near.id().toString());
        assertThat(report.at("/joined/0/target").stringValue())
                .isEqualTo(far.id().toString());
    }

    /** A peer calls itself as it likes. */
    @Test
    void whatPeersChooseIsHarmless() throws Exception {
        var context = run(App.class, "servlet", "management.endpoints.web.exposure.include=weir", "weir.directory=off");
        Node near = start(NodeSpec.builder().name("<b>near"));
        Peer peer = Objects.requireNonNull(
                near.connect(context.getBean(Node.class).address()).block(Patience.LIMIT));
        Channel channel = Objects.requireNonNull(peer.channel("echo").block(Patience.LIMIT));
        Patience.until(
                () -> "it is connected",
                () -> !context.getBean(Node.class).connected().isEmpty());
        JsonNode connection = json(get(context, "/actuator/weir")).at("/connections/0");
        assertThat(connection.at("/name").stringValue()).isEqualTo("<b>near");
        channel.receive(TEXT).subscribe().dispose();
    }

    @Test
    void itIsNotExposedUnlessAsked() throws Exception {
        var context = run(App.class, "servlet", "weir.directory=off");
        assertThat(get(context, "/actuator/weir").statusCode()).isEqualTo(404);
        assertThat(get(context, "/actuator/weir/page/index.html").statusCode()).isEqualTo(404);
        assertThat(get(context, "/weir").statusCode()).isEqualTo(404);
        assertThat(context.getBeanProvider(WeirEndpoint.class).getIfAvailable()).isNull();
    }

    @Test
    void itIsThereOverJmxToo() throws Exception {
        Node far = start(NodeSpec.builder().name("far"));
        var context = run(
                App.class,
                "none",
                "spring.jmx.enabled=true",
                "spring.jmx.default-domain=weir.test",
                "management.endpoints.jmx.domain=weir.test",
                "management.endpoints.jmx.exposure.include=weir",
                "management.endpoint.weir.access=unrestricted",
                "weir.directory=off",
                "weir.peers.far.address=" + far.address());
        var unused = context.getBean(WeirPeers.class).get("far").connection().block(Patience.LIMIT);
        ObjectName name = new ObjectName("weir.test:type=Endpoint,name=Weir");
        assertThat(invoke(name, "all")).containsKeys("format", "node", "peers", "connections");
        assertThat(invoke(name, "one", "far")).containsKeys("peer", "connection");
        assertThat(invoke(name, "reorder", "far", "tcp, local")).containsKeys("peer", "connection");
        assertThat(context.getBean(Node.class)
                        .paths()
                        .get(0)
                        .chosen()
                        .orElseThrow()
                        .path())
                .isEqualTo("tcp");
        assertThatThrownBy(() -> invoke(name, "reorder", "far", "tpc")).hasStackTraceContaining("tpc");
    }

    @SuppressWarnings("unchecked") // JMX knows no types of this kind.
    private static Map<String, Object> invoke(ObjectName name, String operation, String... arguments) throws Exception {
        String[] types =
                Stream.of(arguments).map(each -> String.class.getName()).toArray(String[]::new);
        return (Map<String, Object>)
                ManagementFactory.getPlatformMBeanServer().invoke(name, operation, arguments, types);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactive", "servlet"})
    void thePageIsBelowTheEndpoint(String web) {
        var context = run(App.class, web, "management.endpoints.web.exposure.include=weir", "weir.directory=off");
        var led = get(context, "/weir");
        assertThat(led.statusCode()).isEqualTo(302);
        assertThat(led.headers().firstValue("Location")).hasValue("actuator/weir/page/index.html");
        assertSafe(led);
        assertSafe(get(context, "/actuator/weir"));
        assertSafe(get(context, "/actuator/weir/nobody"));
        assertThat(get(context, "/actuator").headers().firstValue("Content-Security-Policy"))
                .as("what is not ours")
                .isEmpty();
        Map.of(
                        "index.html", "text/html",
                        "page.css", "text/css",
                        "page.js", "text/javascript",
                        "icon.svg", "image/svg+xml")
                .forEach((file, type) -> {
                    var answer = get(context, "/actuator/weir/page/" + file);
                    assertThat(answer.statusCode()).as(file).isEqualTo(200);
                    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                            .startsWith(type);
                    assertThat(answer.body()).isNotBlank();
                    assertSafe(answer);
                });
        assertThat(get(context, "/actuator/weir/page/index.html").body())
                .contains("Content-Security-Policy", "default-src 'none'")
                .doesNotContain("http://", "https://", "<style");
        for (String other : List.of("page/page.class", "page/Page.class", "page/..%2fPage.class", "pages/page.js")) {
            assertThat(get(context, "/actuator/weir/" + other).statusCode())
                    .as(other)
                    .isGreaterThanOrEqualTo(400);
        }
    }

    /** Where endpoints have no path before them, the short way is the endpoint itself. */
    @Test
    void theEndpointGoesBeforeTheShortWay() {
        var context = run(
                App.class,
                "servlet",
                "management.endpoints.web.exposure.include=weir",
                "management.endpoints.web.base-path=/",
                "weir.directory=off");
        ReportShape.check(json(get(context, "/weir")), WeirReport.class);
        assertThat(get(context, "/weir/page/index.html").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reactive", "servlet"})
    void thePageIsOnThePortOfTheEndpoint(String web) {
        var context = run(
                App.class,
                web,
                "management.endpoints.web.exposure.include=weir",
                "management.server.port=0",
                "management.server.base-path=/ops",
                // Both kinds of server are on this class path, and each would have the port.
                "spring.autoconfigure.exclude=org.springframework.boot.tomcat.autoconfigure.actuate.web.server"
                        + ".TomcatReactiveManagementContextAutoConfiguration",
                "weir.directory=off");
        assertThat(get(context, "/weir").statusCode()).isEqualTo(404);
        assertThat(get(context, "/actuator/weir/page/index.html").statusCode()).isEqualTo(404);
        String port = context.getEnvironment().getProperty("local.management.port");
        var page = send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ops/actuator/weir/page/index.html")));
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        assertSafe(page);
    }

    /** Nobody shows it in a frame, and no browser takes it for something else. */
    private static void assertSafe(HttpResponse<String> answer) {
        assertThat(answer.headers().allValues("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(answer.headers().allValues("X-Frame-Options")).containsExactly("DENY");
        assertThat(answer.headers().allValues("Content-Security-Policy"))
                .singleElement()
                .asString()
                .contains("default-src 'none'", "frame-ancestors 'none'");
    }

    /** Whoever reads the report relies on it: what is said here may only grow. */
    @Test
    void theShapeIsAsItWas() throws IOException {
        List<String> now = ReportShape.of(WeirReport.class);
        assertThat(String.join("\n", now))
                .isEqualTo(Files.readString(Path.of("src/test/resources/weir-report.txt"))
                        .strip());
    }

    @Test
    void everyFieldIsDocumented() throws IOException {
        String page = Files.readString(Path.of("../docs/spring-boot.md"));
        String section = page.substring(page.indexOf("## The endpoint"), page.indexOf("## The page"));
        assertThat(ReportShape.of(WeirReport.class)).allSatisfy(line -> {
            String field = line.substring(line.lastIndexOf('.') + 1).replaceAll("(\\[])?:.*", "");
            assertThat(section).containsPattern("[`.]" + field + "(\\[])?`");
        });
    }

    private ConfigurableApplicationContext run(Class<?> application, String web, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.web-application-type=" + web,
                "--server.port=0",
                OneRequest.PER_CONNECTION,
                "--spring.main.banner-mode=off",
                "--spring.cloud.compatibility-verifier.enabled=false"));
        Stream.of(properties).map(each -> "--" + each).forEach(arguments::add);
        var context = SpringApplication.run(application, arguments.toArray(String[]::new));
        applications.add(context);
        return context;
    }

    private Node start(NodeSpec.Builder spec) {
        Node node = Objects.requireNonNull(Node.start(spec.build()).block(Patience.LIMIT));
        nodes.add(node);
        return node;
    }

    private static JsonNode attempt(JsonNode connection, String path) {
        return StreamSupport.stream(connection.at("/path/attempts").spliterator(), false)
                .filter(attempt -> path.equals(attempt.at("/path").stringValue()))
                .findFirst()
                .orElseThrow();
    }

    private static URI uri(ConfigurableApplicationContext context, String path) {
        return URI.create("http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path);
    }

    private HttpResponse<String> get(ConfigurableApplicationContext context, String path) {
        return send(HttpRequest.newBuilder(uri(context, path)));
    }

    private HttpResponse<String> post(ConfigurableApplicationContext context, String path, String json) {
        return send(HttpRequest.newBuilder(uri(context, path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    private HttpResponse<String> send(HttpRequest.Builder asked) {
        HttpRequest request = asked.timeout(Patience.LIMIT).build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError("no answer to " + request, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static JsonNode json(HttpResponse<String> response) {
        return JSON.readTree(response.body());
    }
}
