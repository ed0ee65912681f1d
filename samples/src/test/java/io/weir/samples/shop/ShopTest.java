package io.weir.samples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The sample as a user calls it, with its real processes. What it shows, it finds out itself, from outside of them. */
@Tag("one-jdk")
class ShopTest {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Pattern ROOT = Pattern.compile("  (orders|prices) +process \\d+, (http://\\S+)/\\R");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final HttpClient http =
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();

    /** Whoever still waits for an answer shortly before the limit is shown what the threads of the services do. */
    private int shop(String... arguments) {
        Timer watch = new Timer("shop-watch", true);
        watch.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        ProcessHandle.current().descendants().forEach(ShopTest::showThreads);
                    }
                },
                LIMIT.minusSeconds(20).toMillis());
        try {
            return new CommandLine(new Shop())
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true))
                    .execute(arguments);
        } finally {
            watch.cancel();
        }
    }

    private static void showThreads(ProcessHandle process) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process printing = new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "Thread.print")
                    .redirectErrorStream(true)
                    .start();
            System.err.println(new String(printing.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            System.err.println("The threads of " + process.pid() + " can't be shown: " + e);
        }
    }

    @Test
    void showsWhatItIsFor() {
        assertThat(shop("--path", "shm")).as(() -> out + "\n" + err).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString().lines().filter(line -> line.startsWith("  so ")))
                .extracting(line -> line.substring(2).replaceFirst("so +", ""))
                .containsExactly(
                        "an interface and a port are called in the other process",
                        "no tick is made that nobody has asked for",
                        "health and the endpoint tell the path, shm, and why it is this one",
                        "the metrics of both services count the calls",
                        "a trace leads from the HTTP request through the call into the other process",
                        "health tells that the price service is away",
                        "no order has failed, those in between have waited",
                        "the connection is back, over shm",
                        "both services stop in good order");
    }

    @Test
    void staysAndTellsWhereToLook() throws Exception {
        InputStream before = System.in;
        try (PipedOutputStream enter = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(enter)) {
            System.setIn(in);
            CompletableFuture<Integer> running = CompletableFuture.supplyAsync(() -> shop("--stay", "--path", "tcp"));
            try {
                lookAt(running);
            } finally {
                enter.write('\n');
                enter.flush();
            }
            assertThat(running.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
        } finally {
            System.setIn(before);
        }
    }

    private void lookAt(CompletableFuture<Integer> running) throws Exception {
        await("Enter ends it.", running);
        String orders = root("orders");
        assertThat(out.toString())
                .contains(orders + "/weir\n", orders + "/actuator/weir\n", "curl -N '" + orders + "/ticks/tea");
        HttpResponse<String> order = http.send(
                HttpRequest.newBuilder(URI.create(orders + "/orders"))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("{\"article\": \"tea\", \"quantity\": 3}"))
                        .build(),
                BodyHandlers.ofString());
        assertThat(order.body()).isEqualTo("{\"number\":1,\"article\":\"tea\",\"quantity\":3,\"cents\":1830}");
        HttpResponse<String> page =
                http.send(HttpRequest.newBuilder(URI.create(orders + "/weir")).build(), BodyHandlers.ofString());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<html");
        String shown = shown(orders + "/weir");
        if (!shown.isEmpty()) {
            assertThat(shown).contains(">prices</button>", ">connected</span>", "<span class=\"path\">tcp</span>");
        }
        JsonNode report = get(orders + "/actuator/weir");
        assertThat(report.at("/peers/0/state").asString()).isEqualTo("connected");
        assertThat(report.at("/connections/0/path/chosen").asString()).isEqualTo("tcp");
        assertThat(get(root("prices") + "/actuator/weir").at("/services"))
                .extracting(service -> service.get("service").asString())
                .containsExactlyInAnyOrder("io.weir.samples.shop.shared.Prices", "price-list");
    }

    /**
     * What a browser makes of a page, with a picture of it in {@code target}; empty where none is installed, unless
     * {@code -Dweir.required.browser=chromium}.
     */
    private static String shown(String url) throws Exception {
        Path profile = Files.createTempDirectory(Path.of("target"), "chromium").toAbsolutePath();
        Path picture = Path.of("target", "shop-page.png").toAbsolutePath();
        Files.deleteIfExists(picture);
        Process browser;
        try {
            browser = new ProcessBuilder(
                            "chromium",
                            "--headless",
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-dev-shm-usage",
                            "--no-first-run",
                            "--no-proxy-server",
                            "--disable-background-networking",
                            "--user-data-dir=" + profile,
                            "--window-size=1200,900",
                            // Of the page's time, which stands still while it waits for an answer.
                            "--virtual-time-budget=6000",
                            "--screenshot=" + picture,
                            "--dump-dom",
                            url)
                    .redirectError(profile.resolve("log").toFile())
                    .start();
        } catch (IOException e) {
            assertThat(System.getProperty("weir.required.browser"))
                    .as(e::toString)
                    .isNull();
            return "";
        }
        try {
            String shown = CompletableFuture.supplyAsync(() -> read(browser)).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(picture).isNotEmptyFile();
            return shown;
        } finally {
            browser.destroyForcibly();
        }
    }

    private static String read(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(String text, CompletableFuture<Integer> running) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!out.toString().contains(text) && !running.isDone()) {
            assertThat(System.nanoTime()).as(() -> out + "\n" + err).isLessThan(end);
            Thread.sleep(50);
        }
        assertThat(out.toString()).as(err::toString).contains(text);
    }

    private String root(String service) {
        Matcher root = ROOT.matcher(out.toString());
        while (root.find()) {
            if (root.group(1).equals(service)) {
                return root.group(2);
            }
        }
        throw new AssertionError("no " + service + " in " + out);
    }

    private JsonNode get(String url) throws IOException, InterruptedException {
        return new JsonMapper()
                .readTree(http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                        .body());
    }

    @Test
    void anUnknownPathIsRefusedWithTheNearestOne() {
        assertThat(shop("--path", "shn")).isEqualTo(2);
        assertThat(err.toString()).contains("'shn'", "did you mean shm?", "Usage: shop");
        assertThat(out.toString()).isEmpty();
    }
}
