package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.config.Requirement;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.integration.Child;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.service.directory.Member;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** What every kind of directory keeps to. */
interface DirectoryContract extends OnRoute {

    /** Settings of the directory, for this process and others. */
    Map<String, String> settings();

    default NodeSpec spec(String name) {
        return Route.any(name).properties(settings()).build();
    }

    default ServiceDirectory open(Node node) {
        return Objects.requireNonNull(ServiceDirectory.open(node).block(Patience.LIMIT));
    }

    /** A process that announces "tax". */
    default Child child() {
        String[] all = settings().entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .toArray(String[]::new);
        String[] named = Arrays.copyOf(all, all.length + 1);
        named[all.length] = "weir.name=child";
        return Child.start(Announcer.class, named);
    }

    @Test
    default void nodesSeeEachOtherAndWhatTheyServe(Nodes nodes) {
        Node near = nodes.start(spec("near"));
        Node far = nodes.start(spec("far"));
        ServiceDirectory ofNear = open(near);
        ServiceDirectory ofFar = open(far);
        try (DirectoryEvents seen = new DirectoryEvents(ofFar)) {
            seen.await("near", "JOINED near{}");
            Registration tax =
                    Objects.requireNonNull(ofNear.announce(Announcer.tax(near)).block(Patience.LIMIT));
            seen.awaitTax(1);
            assertThat(seen.tax()).containsExactly(Announcer.tax(near)).containsExactly(tax.instance());
            tax.attributes(Map.of("zone", "b")).block(Patience.LIMIT);
            Patience.until(
                    "the zone is another",
                    () -> seen.tax().stream()
                            .allMatch(instance -> instance.attributes().equals(Map.of("zone", "b"))));
            ofNear.attributes(Map.of("network", "ib0")).block(Patience.LIMIT);
            seen.await("near", "JOINED near{}", "CHANGED near{network=ib0}");
            assertThat(ofFar.snapshot()).extracting(Member::id).containsExactlyInAnyOrder(near.id(), far.id());
            assertThat(ofFar.snapshot())
                    .allSatisfy(member -> assertThat(member.addresses())
                            .isEqualTo(member.id().equals(near.id()) ? near.addresses() : far.addresses()));
            tax.withdraw().then(tax.withdraw()).block(Patience.LIMIT);
            seen.awaitTax(0);
            assertThatThrownBy(() -> tax.attributes(Map.of()).block(Patience.LIMIT))
                    .hasMessage("the announcement of 'tax' is withdrawn");
            ofNear.close().block(Patience.LIMIT);
            seen.await("near", "JOINED near{}", "CHANGED near{network=ib0}", "LEFT near{network=ib0}");
            tax.withdraw().block(Patience.LIMIT);
            far.close().block(Patience.LIMIT);
            seen.awaitEnd();
            assertThat(seen.of("far")).containsExactly("JOINED far{}");
        }
    }

    @Test
    default void whoIsKilledHasFailedAndWhoEndsHasLeft(Nodes nodes) {
        ServiceDirectory directory = open(nodes.start(spec("near")));
        try (DirectoryEvents seen = new DirectoryEvents(directory)) {
            try (Child child = child()) {
                seen.awaitTax(1);
                seen.await("child", "JOINED child{}");
                child.kill();
                seen.await("child", "JOINED child{}", "FAILED child{}");
                seen.awaitTax(0);
            }
            try (Child child = child()) {
                seen.awaitTax(1);
                assertThat(child.leave()).isZero();
                seen.await("child", "JOINED child{}", "FAILED child{}", "JOINED child{}", "LEFT child{}");
                seen.awaitTax(0);
            }
        }
        directory.close().block(Patience.LIMIT);
    }

    @Test
    default void whoLooksIsNotSeen(Nodes nodes) {
        Node near = nodes.start(spec("near"));
        ServiceDirectory directory = open(near);
        ServiceDirectory watching = Objects.requireNonNull(
                ServiceDirectory.observe(spec("watching")).block(Patience.LIMIT));
        assertThat(watching.snapshot()).extracting(Member::id).containsExactly(near.id());
        assertThatThrownBy(() -> watching.announce(Announcer.tax(near)).block(Patience.LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("who only observes a directory tells nothing there");
        assertThatThrownBy(() -> watching.attributes(Map.of()).block(Patience.LIMIT))
                .isInstanceOf(IllegalStateException.class);
        watching.close().block(Patience.LIMIT);
        assertThat(directory.snapshot()).extracting(Member::id).containsExactly(near.id());
        directory.close().block(Patience.LIMIT);
    }

    @Test
    default void whatMakesNoSenseIsRefusedAndLeavesNoTrace(Nodes nodes) {
        Node near = nodes.start(spec("near"));
        Node far = nodes.start(spec("far"));
        ServiceDirectory directory = open(near);
        ServiceInstance tax = Announcer.tax(near);
        directory.announce(tax).then().block(Patience.LIMIT);
        assertThatThrownBy(() -> directory.announce(tax).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("the service 'tax' is announced already on port 'taxes': withdraw that first");
        assertThatThrownBy(() -> directory.announce(Announcer.tax(far)).block(Patience.LIMIT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(far.id().toString());
        assertThatThrownBy(() -> directory.announce(huge(near)).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("16384 is the most");
        assertThatThrownBy(() -> directory.announce(called(near, "a\tb")).block(Patience.LIMIT))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("a service can't be called 'a?b'");
        assertThat(directory.instances("tax").blockFirst(Patience.LIMIT)).containsExactly(tax);
        assertThat(directory.instances("huge").blockFirst(Patience.LIMIT)).isEmpty();
        directory.close().then(directory.close()).block(Patience.LIMIT);
        assertThatThrownBy(() -> directory.announce(called(near, "late")).block(Patience.LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the directory is closed");
    }

    private static ServiceInstance called(Node node, String service) {
        return new ServiceInstance(service, node.id(), node.addresses(), "p", false, List.of(), Map.of());
    }

    private static ServiceInstance huge(Node node) {
        return new ServiceInstance(
                "huge", node.id(), List.of(), "p", false, List.of(), Map.of("story", "x".repeat(70_000)));
    }

    @Test
    default void whoListensEverywhereIsReachedByTheNameOfItsHost(Nodes nodes) {
        Node near = nodes.start(spec("near").toBuilder()
                .listen("tcp://0.0.0.0:0")
                .require(Requirement.NONE)
                .build());
        ServiceDirectory directory = open(near);
        directory.announce(Announcer.tax(near)).then().block(Patience.LIMIT);
        PeerAddress reachable = new PeerAddress(
                directory.snapshot().get(0).host(), near.address().port());
        assertThat(directory.snapshot().get(0).addresses()).containsExactly(reachable);
        assertThat(Flux.from(directory.instances("tax"))
                        .flatMapIterable(all -> all)
                        .blockFirst(Patience.LIMIT))
                .extracting(ServiceInstance::addresses)
                .isEqualTo(List.of(reachable));
        directory.close().block(Patience.LIMIT);
    }

    @Test
    default void cancellingClosesWhatWasBegun(Nodes nodes) {
        Node near = nodes.start(spec("near"));
        for (int round = 0; round < 5; round++) {
            ServiceDirectory.open(near).subscribe().dispose();
        }
        ServiceDirectory directory = open(near);
        assertThat(directory.snapshot()).hasSize(1);
        directory.close().block(Patience.LIMIT);
    }
}
