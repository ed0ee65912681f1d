package io.weir.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A headless Chromium, spoken to by the protocol of WebDriver. */
final class Browser implements AutoCloseable {

    private static final JsonMapper JSON = new JsonMapper();
    /** Longer than a browser takes to start on a machine that is busy. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Pattern PORT = Pattern.compile("successfully on port (\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process driver;
    private final String session;

    private Browser(Process driver, String root, Path chromium, Path profile) {
        this.driver = driver;
        Map<String, Object> options = Map.of(
                "binary",
                chromium.toString(),
                "args",
                List.of(
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--no-proxy-server",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--user-data-dir=" + profile.toAbsolutePath()));
        JsonNode made = post(
                root + "/session",
                Map.of(
                        "capabilities",
                        Map.of(
                                "alwaysMatch",
                                Map.of("goog:chromeOptions", options, "goog:loggingPrefs", Map.of("browser", "ALL")))));
        this.session = root + "/session/" + made.at("/sessionId").stringValue();
    }

    /** Where the programs are; empty if one is missing. */
    static Optional<List<Path>> programs() {
        List<Path> found = new ArrayList<>();
        for (String name : List.of("chromedriver", "chromium")) {
            Stream.of(System.getenv("PATH").split(":", -1))
                    .map(folder -> Path.of(folder, name))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .ifPresent(found::add);
        }
        return found.size() == 2 ? Optional.of(found) : Optional.empty();
    }

    static Browser open(List<Path> programs, Path profile) throws IOException {
        // Into a file: nobody reads on, and a pipe that is full would stop it.
        Path output = Files.createTempFile(profile.toAbsolutePath().getParent(), "chromedriver", ".log");
        Process driver = new ProcessBuilder(programs.get(0).toString(), "--port=0")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            Matcher[] port = new Matcher[1];
            Patience.until(() -> "chromedriver tells its port: " + said(output), () -> {
                port[0] = PORT.matcher(said(output));
                return port[0].find() || !driver.isAlive();
            });
            if (!driver.isAlive()) {
                throw new AssertionError("chromedriver has ended: " + said(output));
            }
            return new Browser(driver, "http://127.0.0.1:" + port[0].group(1), programs.get(1), profile);
        } catch (RuntimeException | AssertionError e) {
            driver.destroy();
            throw e;
        }
    }

    private static String said(Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void go(String url) {
        var unused = post("/url", Map.of("url", url));
    }

    /** What the body of a function yields in the page. */
    JsonNode run(String body) {
        return post("/execute/sync", Map.of("script", body, "args", List.of()));
    }

    String text(String selector) {
        return run("return document.querySelector('" + selector + "').innerText")
                .stringValue();
    }

    /** Presses keys where the focus is. */
    void type(String keys) {
        JsonNode active = request(HttpRequest.newBuilder(URI.create(session + "/element/active")));
        String element = active.values().iterator().next().stringValue();
        var unused = post("/element/" + element + "/value", Map.of("text", keys));
    }

    void screen(int width, int height, boolean phone, String scheme) {
        var unused = devTools(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", phone ? 2 : 1, "mobile", phone));
        var unusedToo = devTools(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void screenshot(Path file) throws IOException {
        JsonNode taken = devTools("Page.captureScreenshot", Map.of("captureBeyondViewport", true));
        Files.write(file, Base64.getDecoder().decode(taken.at("/data").stringValue()));
    }

    /** What the page or the browser has complained of since this was last asked. */
    List<String> complaints() {
        List<String> all = new ArrayList<>();
        post("/se/log", Map.of("type", "browser"))
                .forEach(entry -> all.add(entry.at("/message").stringValue()));
        return all;
    }

    private JsonNode devTools(String command, Map<String, ?> parameters) {
        return post("/goog/cdp/execute", Map.of("cmd", command, "params", parameters));
    }

    private JsonNode post(String path, Map<String, ?> body) {
        String uri = path.startsWith("http") ? path : session + path;
        return request(
                HttpRequest.newBuilder(URI.create(uri)).POST(BodyPublishers.ofString(JSON.writeValueAsString(body))));
    }

    private JsonNode request(HttpRequest.Builder request) {
        try {
            String answer = http.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString())
                    .body();
            JsonNode value = JSON.readTree(answer).at("/value");
            if (value.isObject() && value.has("error")) {
                throw new AssertionError(value.at("/message").stringValue());
            }
            return value;
        } catch (IOException e) {
            throw new AssertionError("chromedriver does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        try {
            var unused = request(HttpRequest.newBuilder(URI.create(session)).DELETE());
        } finally {
            driver.destroy();
        }
    }
}
