package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathPolicy;
import io.weir.config.PathSwitch;
import io.weir.config.PortSpec;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.PathRequired;
import io.weir.core.PeerAddress;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.peer.PathDecision;
import io.weir.peer.PathDecision.Attempt;
import io.weir.peer.PathDecision.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Which path is taken, and what is said of the others. */
@Tag("one-jdk")
class PathChoiceTest implements OnRoute {

    private static Pair connect(Nodes nodes, NodeSpec.Builder near, NodeSpec.Builder far) {
        return nodes.connect(nodes.start(near.build()), nodes.start(far.build()));
    }

    private static Attempt of(PathDecision decision, String path) {
        return decision.attempts().stream()
                .filter(attempt -> attempt.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    private static String chosen(Peer peer) {
        return peer.path().chosen().orElseThrow().path();
    }

    private static String failureOf(Nodes nodes, NodeSpec.Builder near, NodeSpec.Builder far) {
        Node one = nodes.start(near.build());
        Node two = nodes.start(far.build());
        String[] message = {""};
        StepVerifier.create(one.connect(two.address()))
                .consumeErrorWith(error -> {
                    assertThat(error).isInstanceOf(PathRequired.class);
                    message[0] = String.valueOf(error.getMessage());
                })
                .verify(Patience.LIMIT);
        assertThat(one.connected()).isEmpty();
        Patience.until("nobody is connected", () -> two.connected().isEmpty());
        return message[0];
    }

    @Test
    void withinOneJvm(Nodes nodes) {
        Pair pair = connect(nodes, Route.any("near"), Route.any("far"));

        PathDecision decision = pair.peer().path();
        assertThat(chosen(pair.peer())).isEqualTo("local");
        assertThat(decision.peer()).isEqualTo(pair.far().id());
        assertThat(decision.chosen().orElseThrow().roundTrip()).isPositive();
        assertThat(decision.attempts().stream().map(Attempt::path))
                .startsWith("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp");
        assertThat(of(decision, "tcp").outcome()).isEqualTo(Outcome.NOT_TRIED);
        assertThat(of(decision, "tcp").reason()).isEqualTo("local was chosen before it");
        assertThat(of(decision, "elan").outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(of(decision, "elan").reason())
                .contains("this process was not started as one of a parallel job on QsNet");
        assertThat(decision.line())
                .startsWith(pair.far().id() + " over local (round trip ")
                .doesNotContain("tcp");
        assertThat(pair.near().paths()).containsExactly(decision);
        Patience.until("the far node has it too", () -> pair.far().paths().size() == 1);
        assertThat(pair.far().paths().get(0).chosen().orElseThrow().path()).isEqualTo("local");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void betweenProcessesOfOneHost(Nodes nodes) {
        Pair pair = connect(nodes, Route.any("near").path("local", PathSwitch.OFF), Route.any("far"));

        assertThat(chosen(pair.peer())).isEqualTo("shm");
        assertThat(of(pair.peer().path(), "local").outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(of(pair.peer().path(), "local").reason()).contains("off here");
        // What was gained can be seen.
        assertThat(of(pair.peer().path(), "tcp").roundTrip()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"tcp,local", "local,tcp"})
    void theOrderOfWhoConnectsRules(String first, String second, Nodes nodes) {
        Pair pair = connect(
                nodes, Route.any("near").order(first, second), Route.any("far").order(second, first));

        assertThat(chosen(pair.peer())).isEqualTo(first);
        assertThat(of(pair.peer().path(), second).outcome()).isEqualTo(Outcome.NOT_TRIED);
        assertThat(of(pair.peer().path(), "shm").reason()).contains("not in the order");
    }

    @Test
    void pathsOfOneConnectionAreCheckedLikeThoseOfTheNode(Nodes nodes) {
        Node near = nodes.start(Route.any("near").build());
        PeerAddress far = nodes.start(Route.any("far").build()).address();

        assertRefused(
                near.connect(far, new PathPolicy(List.of("myrinet"), Map.of())),
                "paths.order names 'myrinet', which is no path; did you mean gm?");
        assertRefused(
                near.connect(far, new PathPolicy(List.of("tcp"), Map.of("shm", PathSwitch.REQUIRED))),
                "paths.shm=required can't be met: paths.order does not name shm");
        assertRefused(
                near.connect(far, new PathPolicy(List.of("tcp"), Map.of("tcp", PathSwitch.OFF))),
                "paths.order leaves no path that could be used");
        Peer peer = near.connect(far, new PathPolicy(List.of("tcp"), Map.of())).block(Patience.LIMIT);
        assertThat(chosen(Objects.requireNonNull(peer))).isEqualTo("tcp");
    }

    @Test
    void anOptionThatCannotBeIsNamedAsItWasWritten() {
        assertRefused(
                Node.start(Route.any("near")
                        .transportOption("shm", "ring-size", "12")
                        .build()),
                "weir.transport.shm.ring-size=12 is out of range");
        assertRefused(
                Node.start(Route.any("near")
                        .transportOption("tcp", "data-address", "nowhere")
                        .build()),
                "weir.transport.tcp.data-address=nowhere can't be used");
    }

    private static void assertRefused(Mono<?> starting, String text) {
        StepVerifier.create(starting)
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(Misconfigured.class).hasMessageStartingWith(text))
                .verify(Patience.LIMIT);
    }

    @Test
    void whatIsOffThereIsNotUsed(Nodes nodes) {
        Pair pair = connect(
                nodes, Route.any("near").order("local", "tcp"), Route.any("far").path("local", PathSwitch.OFF));

        assertThat(chosen(pair.peer())).isEqualTo("tcp");
        Attempt local = of(pair.peer().path(), "local");
        assertThat(local.outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(local.reason()).isEqualTo("switched off at " + pair.far().id());
        assertThat(pair.peer().path().line()).contains("local: switched off at");
    }

    @Test
    void withoutNativeCode(Nodes nodes) {
        Pair pair = connect(
                nodes,
                Route.any("near").nativeAllowed(false).path("local", PathSwitch.OFF),
                Route.any("far").nativeAllowed(false));

        assertThat(chosen(pair.peer())).isEqualTo("tcp");
        assertThat(of(pair.peer().path(), "shm").outcome()).isEqualTo(Outcome.REJECTED);
        assertThat(of(pair.peer().path(), "shm").reason())
                .contains("missing here")
                .contains("weir.native");
        pair.settle();
    }

    @Test
    void withoutNativeCodeThere(Nodes nodes) {
        Pair pair = connect(
                nodes,
                Route.any("near").path("local", PathSwitch.OFF),
                Route.any("far").nativeAllowed(false));

        assertThat(chosen(pair.peer())).isEqualTo("tcp");
        assertThat(of(pair.peer().path(), "shm").reason())
                .contains("missing at " + pair.far().id())
                .contains("weir.native");
    }

    @Test
    void requiredHere(Nodes nodes) {
        assertThat(failureOf(
                        nodes,
                        Route.any("near")
                                .path("elan", PathSwitch.REQUIRED)
                                .path("local", PathSwitch.OFF)
                                .path("shm", PathSwitch.OFF),
                        Route.any("far")))
                .contains("elan")
                .contains("required (here)")
                .contains("this process was not started as one of a parallel job on QsNet")
                .contains("weir.transport.elan=on");
    }

    @Test
    void requiredThere(Nodes nodes) {
        assertThat(failureOf(
                        nodes,
                        Route.any("near").order("tcp", "local"),
                        Route.any("far").path("shm", PathSwitch.REQUIRED)))
                .contains("shm")
                .contains("required (there)");
    }

    @Test
    void requiredAndThere(Nodes nodes) {
        Pair pair = connect(
                nodes, Route.any("near").order("local", "tcp").path("local", PathSwitch.REQUIRED), Route.any("far"));

        assertThat(chosen(pair.peer())).isEqualTo("local");
        assertThat(of(pair.peer().path(), "tcp").outcome()).isEqualTo(Outcome.REJECTED);
    }

    @Test
    void noPathAtAll(Nodes nodes) {
        assertThat(failureOf(nodes, Route.any("near").order("elan", "trouble"), Route.any("far")))
                .contains("no path leads to far-")
                .contains("elan: missing here: this process was not started as one of a parallel job on QsNet")
                .contains("trouble: missing here: trouble is not wanted");
    }

    /** Wherever an adapter fails, the next path is taken, the reason is kept, and nothing of the try is left. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "MISSING             | REJECTED | trouble is not wanted",
                "AVAILABILITY_THROWS | REJECTED | the device is on fire",
                "UNREACHABLE         | REJECTED | on the other side of the river",
                "REACHES_THROWS      | REJECTED | no map",
                "PREPARE_REFUSES     | FAILED   | the boat is full",
                "PREPARE_THROWS      | FAILED   | the boat leaks",
                "OFFER_IS_HUGE       | FAILED   | 5000",
                "COMPLETE_FAILS      | FAILED   | the bridge is up",
                "COMPLETE_NEVER      | FAILED   | did not open within 1500 ms",
                "BREAKS_AT_ONCE      | FAILED   | the cable was cut",
                "IS_DEAF             | FAILED   | did not open within 1500 ms",
                "TAKES_NOTHING       | FAILED   | no room for a probe",
                "WRONG_PEER          | FAILED   | ends at another peer"
            })
    void aPathThatFailsGivesWay(TroubleTransport.Mode mode, Outcome outcome, String reason, Nodes nodes) {
        for (boolean here : new boolean[] {true, false}) {
            NodeSpec.Builder troubled = troubled("troubled", mode);
            NodeSpec.Builder other =
                    troubled("other", mode == TroubleTransport.Mode.MISSING ? mode : TroubleTransport.Mode.IS_DEAF);
            if (!here && mode == TroubleTransport.Mode.UNREACHABLE
                    || !here && mode == TroubleTransport.Mode.REACHES_THROWS
                    || !here && mode == TroubleTransport.Mode.WRONG_PEER
                    || !here && mode == TroubleTransport.Mode.TAKES_NOTHING) {
                continue;
            }
            Pair pair = here ? connect(nodes, troubled, other) : connect(nodes, other, troubled);

            assertThat(chosen(pair.peer())).isEqualTo("tcp");
            Attempt attempt = of(pair.peer().path(), TroubleTransport.NAME);
            assertThat(attempt.outcome())
                    .as("outcome, failing %s", here ? "here" : "there")
                    .isEqualTo(outcome);
            assertThat(attempt.reason()).contains(reason);
            if (outcome == Outcome.FAILED) {
                assertThat(pair.peer().path().line())
                        .contains("trouble: failed after")
                        .contains(reason);
            }
            pair.settle();
        }
        Patience.until(
                () -> "all halves and links are closed, but " + TroubleTransport.OPEN,
                () -> TroubleTransport.OPEN.get() == 0);
    }

    /** Nothing is left, and the table of all reasons is in the error. */
    @Test
    void theLastPathFails(Nodes nodes) {
        assertThat(failureOf(
                        nodes,
                        troubled("near", TroubleTransport.Mode.COMPLETE_FAILS).order("trouble"),
                        troubled("far", TroubleTransport.Mode.IS_DEAF)))
                .contains("no path to far-")
                .contains("trouble: the bridge is up");
        Patience.until("all halves and links are closed", () -> TroubleTransport.OPEN.get() == 0);
    }

    private static NodeSpec.Builder troubled(String name, TroubleTransport.Mode mode) {
        return Route.any(name)
                .order("trouble", "tcp")
                // Where one JVM has much to do, the path that gives no trouble needs some of it.
                .stepTimeout(Duration.ofMillis(1500))
                .transportOption("trouble", "mode", mode.name());
    }

    /** A port may restrict its paths. */
    @Test
    void pathsOfAPort(Nodes nodes) {
        Pair pair = connect(
                nodes,
                Route.any("near").order("tcp"),
                Route.any("far")
                        .port("fast", new PortSpec(new PathPolicy(List.of("shm", "local"), Map.of())))
                        .port("secret", new PortSpec(new PathPolicy(List.of(), Map.of("tcp", PathSwitch.OFF))))
                        .port("only", new PortSpec(new PathPolicy(List.of(), Map.of("shm", PathSwitch.REQUIRED))))
                        .port("any", new PortSpec(PathPolicy.unchanged())));
        for (String port : List.of("fast", "secret", "only", "any")) {
            var unused = pair.far().answer(port, Mono::just);
        }

        for (String port : List.of("fast", "secret", "only")) {
            StepVerifier.create(Flux.<Object>merge(
                            pair.peer().ask(port, Message.of("?")), pair.peer().channel(port)))
                    .expectErrorSatisfies(error -> assertThat(error)
                            .isInstanceOf(PathRequired.class)
                            .hasMessageContaining("'" + port + "'")
                            .hasMessageContaining("not offered over tcp")
                            .hasMessageContaining(pair.far().id().toString()))
                    .verify(Patience.LIMIT);
        }
        StepVerifier.create(pair.peer().ask("any", Message.of("?")).doOnNext(Message::release))
                .expectNextCount(1)
                .expectComplete()
                .verify(Patience.LIMIT);
    }
}
