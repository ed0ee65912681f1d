package io.weir.samples.shop;

import io.weir.core.PeerAddress;
import io.weir.samples.process.Child;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.shop.shared.ShopProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A service of the shop, as who drives it sees it: a process, and what it answers over HTTP. */
final class ShopService implements AutoCloseable {

    /** For what takes seconds, also on a machine that is busy. */
    static final Duration LIMIT = Duration.ofMinutes(2);

    private static final JsonMapper JSON = new JsonMapper();

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(Version.HTTP_1_1).build();

    private final String name;
    private final Child child;
    private final CompletableFuture<String> web = new CompletableFuture<>();

    /**
     * Starts it and waits until it can be called.
     *
     * @param onLine gets what it says
     * @throws ProgramFailed with what it said, if it can't be started
     */
    ShopService(String name, Class<?> application, Consumer<String> onLine, String... settings) {
        this.name = name;
        this.child = Child.start(
                "The service '" + name + "'", OwnJava.shortCommand(application, settings), Map.of(), line -> {
                    if (line.startsWith(ShopProcess.WEB)) {
                        web.complete(line.substring(ShopProcess.WEB.length()));
                    } else {
                        onLine.accept(line);
                    }
                });
    }

    PeerAddress address() {
        return child.address();
    }

    long pid() {
        return child.pid();
    }

    URI at(String path) {
        return URI.create(web.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join() + path);
    }

    /** What it answers, whatever its status is: an application that is not healthy says so with 503. */
    JsonNode get(String path) {
        return JSON.readTree(
                send(HttpRequest.newBuilder(at(path)).timeout(LIMIT).build()).body());
    }

    /** What it answers, a line each. */
    long lines(String path) {
        return send(HttpRequest.newBuilder(at(path)).timeout(LIMIT).build())
                .body()
                .lines()
                .count();
    }

    /** @throws ProgramFailed unless it is done */
    JsonNode post(String path, Object body) {
        HttpResponse<String> answer = send(HttpRequest.newBuilder(at(path))
                .timeout(LIMIT)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(JSON.writeValueAsString(body)))
                .build());
        if (answer.statusCode() != 200) {
            throw new ProgramFailed(path + " was answered with " + answer.statusCode() + ": " + answer.body());
        }
        return JSON.readTree(answer.body());
    }

    private static HttpResponse<String> send(HttpRequest request) {
        try {
            return HTTP.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new ProgramFailed(request.uri() + " does not answer: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while " + request.uri() + " was answering.", e);
        }
    }

    /**
     * Has it stop in good order, and waits for that.
     *
     * @throws ProgramFailed if it does not come to its end, or to a good one
     */
    void stop() {
        try {
            child.process().getOutputStream().close();
            if (!child.process().waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new ProgramFailed("The service '" + name + "' does not come to its end.");
            }
        } catch (IOException e) {
            throw new ProgramFailed("The service '" + name + "' can't be told to stop: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while a service was stopping.", e);
        }
        int code = child.process().exitValue();
        if (code != 0) {
            throw new ProgramFailed("The service '" + name + "' has ended with exit code " + code + '.');
        }
    }

    @Override
    public void close() {
        child.close();
    }
}
