package io.weir.samples.shop;

import io.weir.core.Misconfigured;
import io.weir.samples.process.OnePath;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.shop.orders.OrderService;
import io.weir.samples.shop.prices.PriceService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code weir sample shop} */
@Command(
        name = "shop",
        description = {
            "Two Spring Boot applications in two processes: orders come in over HTTP, and what they cost is "
                    + "asked of the other",
            "one. With metrics, traces and health; the price service is stopped under load and started again."
        },
        mixinStandardHelpOptions = true)
public final class Shop implements Callable<Integer> {

    private static final int ORDERS = 200;
    private static final int TICKS = 100;
    private static final int CUSTOMERS = 4;
    private static final int MORE = 50;

    /**
     * The best path is to be there from the beginning, also where JVMs that have just started compete for the
     * processors.
     */
    private static final List<String> PATIENT =
            List.of("--weir.timeout.handshake=30s", "--weir.timeout.step=15s", "--weir.timeout.head-start=15s");

    @Spec
    private CommandSpec command;

    @Option(
            names = "--path",
            paramLabel = "PATH",
            description =
                    "The path between the services: shm, tcp or another one. Default: the best one that there is.")
    private @Nullable String path;

    @Option(
            names = "--stay",
            description = "Only starts the services, and tells where to look at them, until Enter is pressed.")
    private boolean stay;

    private final List<ShopService> started = new ArrayList<>();

    @Override
    public Integer call() {
        checkPath();
        for (String line : command.usageMessage().description()) {
            say(line);
        }
        try {
            ShopService prices = start("prices", PriceService.class, "--weir.listen=tcp://127.0.0.1:0");
            List<String> settings = new ArrayList<>(PATIENT);
            settings.add("--weir.peers.prices.address=" + prices.address());
            if (path != null) {
                settings.add("--weir.peers.prices.transport.order=" + path);
            }
            ShopService orders = start("orders", OrderService.class, settings.toArray(String[]::new));
            if (stay) {
                show(orders, prices);
            } else {
                play(orders, prices);
            }
            return 0;
        } catch (ProgramFailed e) {
            command.commandLine().getErr().println("weir sample shop: " + e.getMessage());
            return 1;
        } finally {
            // The one that calls first, so that the other one is still there.
            for (int i = started.size() - 1; i >= 0; i--) {
                started.get(i).close();
            }
        }
    }

    /** Before anything is started, so that a wrong name is refused at once. */
    private void checkPath() {
        try {
            if (path != null) {
                var unused = OnePath.spec("shop", path);
            }
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private ShopService start(String name, Class<?> application, String... settings) {
        ShopService service = new ShopService(name, application, line -> heard(name, line), settings);
        started.add(service);
        row(name, "process " + service.pid() + ", " + service.at("/"));
        return service;
    }

    private void heard(String name, String line) {
        if (stay) {
            row(name, line);
        }
    }

    private void show(ShopService orders, ShopService prices) {
        row("page", orders.at("/weir").toString());
        row("actuator", orders.at("/actuator/weir").toString());
        row("", prices.at("/actuator/health").toString());
        row(
                "try",
                "curl -H 'Content-Type: application/json' -d '{\"article\": \"tea\", \"quantity\": 3}' "
                        + orders.at("/orders"));
        row("", "curl -N '" + orders.at("/ticks/tea?take=1000") + "'");
        row("", "Enter ends it.");
        try {
            var unused = System.in.read();
        } catch (IOException e) {
            throw new ProgramFailed("Nobody can say when to end: " + e.getMessage(), e);
        }
    }

    private void play(ShopService orders, ShopService prices) {
        call(orders);
        stream(orders, prices);
        String first = path(orders);
        explain(orders, first);
        observe(orders, prices);
        ShopService again = restart(orders, prices);
        String second = path(orders);
        shows(second.equals(first), "the connection is back, over " + second);
        orders.stop();
        again.stop();
        row("so", "both services stop in good order");
    }

    private static Map<String, Object> wish(int number) {
        return Map.of("article", number % 2 == 0 ? "bread" : "tea", "quantity", 1 + number % 3);
    }

    private void call(ShopService orders) {
        long begun = System.nanoTime();
        Map<String, Long> cents = new HashMap<>();
        for (int i = 0; i < ORDERS; i++) {
            JsonNode order = orders.post("/orders", wish(i));
            cents.merge(order.get("article").asString(), order.get("cents").asLong(), Long::sum);
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        row("orders", String.format(Locale.ROOT, "%d in %.2f s, one after another: %s", ORDERS, seconds, cents));
        JsonNode quotes = orders.get("/quotes?articles=salt,tea,bread");
        row("quotes", quotes.toString());
        shows(cents.size() == 2 && quotes.size() == 3, "an interface and a port are called in the other process");
    }

    private void stream(ShopService orders, ShopService prices) {
        double before = counted(prices, "shop.ticks");
        long taken = orders.lines("/ticks/tea?take=" + TICKS);
        double made = counted(prices, "shop.ticks") - before;
        row("stream", String.format(Locale.ROOT, "%d ticks came, of %.0f that were made", taken, made));
        shows(taken == TICKS && made == TICKS, "no tick is made that nobody has asked for");
    }

    /** Over which path the price service is reached. */
    private String path(ShopService orders) {
        until(
                "the price service is connected" + (path == null ? "" : " over " + path),
                () -> connection(orders)
                        .filter(its -> path == null
                                || its.at("/path/chosen").asString("").equals(path))
                        .isPresent());
        JsonNode health = health(orders);
        String chosen = health.at("/details/path").asString("");
        row("health", health.get("status").asString() + ", over " + chosen);
        return chosen;
    }

    private void explain(ShopService orders, String chosen) {
        JsonNode decision = connection(orders).orElseThrow().get("path");
        for (JsonNode attempt : decision.get("attempts")) {
            JsonNode reason = attempt.path("reason");
            row(
                    "path",
                    attempt.get("path").asString()
                            + ' '
                            + attempt.get("outcome").asString()
                            + (reason.isMissingNode() ? "" : ": " + reason.asString()));
        }
        shows(
                decision.get("chosen").asString().equals(chosen),
                "health and the endpoint tell the path, " + chosen + ", and why it is this one");
    }

    private static Optional<JsonNode> connection(ShopService orders) {
        JsonNode connections = orders.get("/actuator/weir").get("connections");
        return connections.isEmpty() ? Optional.empty() : Optional.of(connections.get(0));
    }

    private static JsonNode health(ShopService orders) {
        return orders.get("/actuator/health").at("/components/weir/components/prices");
    }

    private void observe(ShopService orders, ShopService prices) {
        // The meters of a connection appear when another one is read.
        row("metrics", String.format(Locale.ROOT, "weir.peers %.0f", counted(orders, "weir.peers")));
        until(
                "the metrics of both services count the calls",
                () -> counted(orders, "weir.client.calls") >= ORDERS
                        && counted(prices, "weir.server.calls") >= ORDERS
                        && counted(orders, "weir.messages") >= 2 * ORDERS);
        for (String meter : List.of("weir.client.calls", "weir.messages", "weir.bytes")) {
            row("metrics", String.format(Locale.ROOT, "%s %.0f", meter, counted(orders, meter)));
        }
        row("so", "the metrics of both services count the calls");
        until("a trace reaches from one service to the other", () -> isTraced(orders, prices));
        row("so", "a trace leads from the HTTP request through the call into the other process");
    }

    /** An HTTP request in one process has a call as its child, and this a served call in the other one. */
    private boolean isTraced(ShopService orders, ShopService prices) {
        Map<String, JsonNode> here = new HashMap<>();
        orders.get("/actuator/spans")
                .forEach(span -> here.put(span.get("spanId").asString(), span));
        return StreamSupport.stream(prices.get("/actuator/spans").spliterator(), false)
                .anyMatch(served -> {
                    JsonNode call = here.get(served.get("parentSpanId").asString());
                    JsonNode request = call == null
                            ? null
                            : here.get(call.get("parentSpanId").asString());
                    if (call == null || request == null) {
                        return false;
                    }
                    row(
                            "trace",
                            request.get("traceId").asString() + ": "
                                    + request.get("name").asString() + " > "
                                    + call.get("name").asString() + " > "
                                    + served.get("name").asString());
                    return served.get("traceId").equals(request.get("traceId"))
                            && request.get("kind").asString().equals("SERVER");
                });
    }

    private static double counted(ShopService service, String meter) {
        return service.get("/actuator/metrics/" + meter)
                .at("/measurements/0/value")
                .asDouble(0);
    }

    private ShopService restart(ShopService orders, ShopService prices) {
        try (Load load = new Load(CUSTOMERS, () -> orders.post("/orders", wish(0)))) {
            until("orders are made", () -> load.made() > MORE);
            prices.stop();
            row("prices", "stopped in good order, while " + CUSTOMERS + " customers order");
            until(
                    "health tells that the price service is away",
                    () -> health(orders).path("status").asString("").equals("DOWN"));
            row("health", "DOWN: " + health(orders).at("/details/lastFailure").asString(""));
            row("so", "health tells that the price service is away");
            int before = load.made();
            ShopService again = start("prices", PriceService.class, "--weir.listen=" + prices.address());
            until("orders are made again", () -> load.made() > before + MORE);
            load.close();
            row("load", load.made() + " orders made, the longest took " + load.longestMillis() + " ms");
            load.failures().forEach(failure -> row("failed", failure));
            shows(load.failures().isEmpty(), "no order has failed, those in between have waited");
            return again;
        }
    }

    private static void until(String what, BooleanSupplier holds) {
        long end = System.nanoTime() + ShopService.LIMIT.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new ProgramFailed("It does not come to it that " + what + '.');
            }
            try {
                Thread.sleep(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ProgramFailed("Interrupted while waiting until " + what + '.', e);
            }
        }
    }

    private void shows(boolean really, String what) {
        if (!really) {
            throw new ProgramFailed("It does not hold that " + what + '.');
        }
        row("so", what);
    }

    private void row(String label, String text) {
        say(String.format("  %-13s %s", label, text));
    }

    private synchronized void say(String line) {
        command.commandLine().getOut().println(line);
        command.commandLine().getOut().flush();
    }
}
