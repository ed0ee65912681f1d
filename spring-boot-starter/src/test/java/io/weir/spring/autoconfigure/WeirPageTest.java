package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.spring.ChannelHandler;
import io.weir.spring.WeirPeers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.WebFilter;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/**
 * The page in a browser: what it shows, and what it says when there is nothing to show. Left out where no browser is
 * installed, unless {@code -Dweir.required.browser=chromium}.
 */
@Tag("one-jdk")
class WeirPageTest {

    private static final Codec<String> TEXT = Codecs.text();
    private static final String TAB = "\uE004";
    private static final String ENTER = "\uE007";

    @TempDir(cleanup = CleanupMode.ALWAYS)
    Path profile = Path.of("");

    private final List<Runnable> ends = new ArrayList<>();
    private List<Path> programs = List.of();

    @SpringBootConfiguration
    @EnableWithoutSecurity
    static class App {
        @Bean
        ChannelHandler echo() {
            return channel -> channel.send(channel.receive(TEXT), TEXT);
        }
    }

    /** A status that the endpoint answers with, as something before it would. */
    @SpringBootConfiguration
    @EnableWithoutSecurity
    static class Guarded extends App {

        static final AtomicInteger STATUS = new AtomicInteger();

        @Bean
        WebFilter guard() {
            return (exchange, chain) -> {
                boolean data = exchange.getRequest().getPath().value().endsWith("/actuator/weir");
                HttpStatus status = HttpStatus.resolve(STATUS.get());
                if (!data || status == null) {
                    return chain.filter(exchange);
                }
                exchange.getResponse().setStatusCode(status);
                return exchange.getResponse().setComplete();
            };
        }
    }

    @BeforeEach
    void aBrowserIsInstalled() {
        programs = Browser.programs().orElse(List.of());
        if (!"chromium".equals(System.getProperty("weir.required.browser"))) {
            Assumptions.assumeFalse(programs.isEmpty(), "chromium and chromedriver are not installed");
        }
        assertThat(programs).as("chromium and chromedriver are installed").isNotEmpty();
    }

    @AfterEach
    void stop() {
        for (int i = ends.size() - 1; i >= 0; i--) {
            ends.get(i).run();
        }
    }

    @Test
    void itShowsPeersPathsAndWhatGoesOverThem() throws IOException {
        Node far = start(NodeSpec.builder().name("prices"));
        var unused = far.answer("upper", TEXT, TEXT, text -> Mono.just(text + "!"));
        Node off = start(NodeSpec.builder().name("stock").path("local", PathSwitch.OFF));
        var context = run(
                App.class,
                "spring.application.name=orders",
                "weir.directory=local",
                "weir.runtime-folder=target/page",
                "weir.peers.prices.address=" + far.address(),
                "weir.peers.stock.address=" + off.address(),
                "weir.peers.archive.address=tcp://127.0.0.1:1",
                "weir.peers.archive.connect=eager",
                "weir.peers.billing.service=echo");
        WeirPeers peers = context.getBean(WeirPeers.class);
        Peer prices = Objects.requireNonNull(peers.get("prices").connection().block(Patience.LIMIT));
        var unusedToo = peers.get("stock").connection().block(Patience.LIMIT);
        // No more than leaves the browser a processor.
        Disposable traffic = Flux.interval(Duration.ofMillis(1))
                .onBackpressureDrop()
                .flatMap(i -> prices.ask("upper", "a", TEXT, TEXT), 4)
                .subscribe(answer -> {}, lost -> {});
        ends.add(traffic::dispose);

        try (Browser browser = Browser.open(programs, profile)) {
            browser.screen(1280, 1000, false, "light");
            browser.go(url(context, "/weir"));
            awaitText(browser, "#live", "live");
            assertThat(browser.run("return location.pathname").stringValue())
                    .isEqualTo("/actuator/weir/page/index.html");
            assertThat(browser.text("#node")).isEqualTo("orders");
            Patience.until(
                    () -> "something is sent: " + browser.text(".tiles"),
                    () -> browser.run("return parseFloat(document.querySelector('#sent').innerText) > 0")
                                    .booleanValue()
                            && browser.run("return document.querySelectorAll('#sent-line polyline').length === 1")
                                    .booleanValue());
            assertThat(row(browser, "prices")).contains("connected", "local");
            assertThat(row(browser, "stock")).contains("shm", "not local:", "switched off");
            awaitRow(browser, "archive", "away, optional");
            assertThat(row(browser, "archive")).contains("tcp://127.0.0.1:1");
            awaitRow(browser, "billing", "1 instance");
            assertThat(browser.text("#services")).contains("echo");

            // A peer is called as it likes, and asked for all the same.
            Node stranger = start(NodeSpec.builder().name("<i>a/b;c</i>"));
            var unusedPeer =
                    stranger.connect(context.getBean(Node.class).address()).block(Patience.LIMIT);
            awaitRow(browser, "<i>a/b;c</i>", "connected");
            assertThat(browser.run("return document.querySelectorAll('i').length")
                            .intValue())
                    .isZero();
            var unusedClick = browser.run("[...document.querySelectorAll('button.peer')]"
                    + ".find(button => button.innerText.startsWith('<i>')).click()");
            Patience.until(
                    () -> "its details are there: " + browser.text("#peer-table"),
                    () -> browser.text("#peer-table").contains("None is open."));
            stranger.close().block(Patience.LIMIT);
            Patience.until(
                    () -> "it is gone: " + browser.text("#peer-table"),
                    () -> row(browser, "<i>a/b;c</i>").isEmpty());

            // By keyboard alone: to the second peer, whose details open and close.
            for (int i = 0; i < 20 && !focused(browser).equals("prices"); i++) {
                browser.type(TAB);
            }
            assertThat(focused(browser)).isEqualTo("prices");
            browser.type(ENTER);
            Patience.until(
                    () -> "the details are there: " + browser.text("#peer-table"),
                    () -> browser.text("#peer-table").contains("Round trips".toUpperCase(Locale.ROOT))
                            && browser.text("#peer-table").contains("upper"));
            assertThat(browser.run("return document.activeElement.getAttribute('aria-expanded')")
                            .stringValue())
                    .isEqualTo("true");
            awaitSamples(browser);
            browser.screenshot(Path.of("target/weir-page.png"));
            browser.screen(1280, 1000, false, "dark");
            browser.screenshot(Path.of("target/weir-page-dark.png"));
            browser.type(ENTER);
            assertThat(browser.run("return document.querySelectorAll('tr.more:not([hidden])').length")
                            .intValue())
                    .isZero();

            browser.screen(360, 780, true, "dark");
            assertThat(browser.run("return document.documentElement.scrollWidth")
                            .intValue())
                    .as("nothing sticks out of a phone's screen")
                    .isEqualTo(360);
            browser.screenshot(Path.of("target/weir-page-phone.png"));

            // Nothing but the page's own files and the endpoint, and nothing that the browser minds.
            assertThat(origins(browser)).containsOnly(url(context, ""));
            assertThat(browser.complaints()).isEmpty();

            context.close();
            awaitText(browser, "#live", "not reachable");
            assertThat(browser.text("#notice")).contains("does not answer");
        }
        assertThat(Files.size(Path.of("target/weir-page.png"))).isPositive();
    }

    @Test
    void itSaysWhyThereIsNothingToSee() throws IOException {
        var context = run(
                Guarded.class,
                "weir.directory=off",
                "management.endpoints.web.base-path=/manage",
                "management.endpoints.web.path-mapping.weir=actuator/weir",
                "spring.webflux.base-path=/below");
        try (Browser browser = Browser.open(programs, profile)) {
            Guarded.STATUS.set(0);
            browser.go(url(context, "/below/weir"));
            awaitText(browser, "#live", "live");
            assertThat(browser.text("#no-peers")).contains("weir.peers.<name>.address");
            Guarded.STATUS.set(403);
            awaitText(browser, "#live", "not authorised");
            assertThat(browser.text("#notice")).contains("/below/manage/actuator/weir");
            Guarded.STATUS.set(404);
            awaitText(browser, "#live", "no data");
            Guarded.STATUS.set(0);
            awaitText(browser, "#live", "live");
            assertThat(browser.run("return document.querySelector('#notice').hidden")
                            .booleanValue())
                    .isTrue();
        }
    }

    private static String focused(Browser browser) {
        return browser.run("return document.activeElement.innerText || ''").stringValue();
    }

    private static String row(Browser browser, String peer) {
        return browser.run("return [...document.querySelectorAll('#peer-table tbody th')]"
                        + ".find(cell => cell.querySelector('button').innerText === '" + peer
                        + "')?.parentElement.innerText ?? ''")
                .stringValue();
    }

    private static void awaitRow(Browser browser, String peer, String text) {
        Patience.until(
                () -> peer + ": " + row(browser, peer), () -> row(browser, peer).contains(text));
    }

    private static void awaitText(Browser browser, String selector, String text) {
        Patience.until(
                () -> selector + " says " + browser.text(selector) + ", not " + text,
                () -> browser.text(selector).equals(text));
    }

    /** Enough for lines to look at. */
    private static void awaitSamples(Browser browser) {
        Patience.until(
                () -> "there are samples",
                () -> browser.run("return document.querySelector('#sent-line polyline').getAttribute('points')"
                                + ".split(' ').length > 8")
                        .booleanValue());
    }

    private static List<String> origins(Browser browser) {
        JsonNode origins = browser.run("return [...new Set(performance.getEntriesByType('resource')"
                + ".map(each => new URL(each.name).origin))]");
        List<String> all = new ArrayList<>();
        origins.forEach(each -> all.add(each.stringValue()));
        return all;
    }

    private static String url(ConfigurableApplicationContext context, String path) {
        return "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + path;
    }

    private ConfigurableApplicationContext run(Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.web-application-type=reactive",
                "--server.port=0",
                OneRequest.PER_CONNECTION,
                "--spring.main.banner-mode=off",
                "--spring.cloud.compatibility-verifier.enabled=false",
                "--management.endpoints.web.exposure.include=weir"));
        Stream.of(properties).map(each -> "--" + each).forEach(arguments::add);
        var context = SpringApplication.run(application, arguments.toArray(String[]::new));
        ends.add(context::close);
        return context;
    }

    private Node start(NodeSpec.Builder spec) {
        Node node = Objects.requireNonNull(Node.start(spec.build()).block(Patience.LIMIT));
        ends.add(() -> node.close().block(Patience.LIMIT));
        return node;
    }
}
