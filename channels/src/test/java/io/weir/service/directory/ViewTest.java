package io.weir.service.directory;

import static io.weir.service.directory.MemberEvent.Kind.CHANGED;
import static io.weir.service.directory.MemberEvent.Kind.FAILED;
import static io.weir.service.directory.MemberEvent.Kind.JOINED;
import static io.weir.service.directory.MemberEvent.Kind.LEFT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class ViewTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final PeerAddress NEAR = new PeerAddress("near", 1);
    private static final PeerAddress FAR = new PeerAddress("far", 2);

    private final View view = new View(List.of(ServiceInstance.at("tax", FAR)));

    private static PeerId id(int number) {
        return new PeerId(new UUID(0, number), "node " + number, 1);
    }

    private static Listing listing(int number, String mood, ServiceInstance... services) {
        return new Listing(
                new Member(id(number), "host", List.of(NEAR), Map.of("mood", mood), Instant.EPOCH), List.of(services));
    }

    private static ServiceInstance tax(int number, PeerAddress address) {
        return new ServiceInstance("tax", id(number), List.of(address), "tax", false, List.of(), Map.of());
    }

    private static Flux<String> told(Flux<MemberEvent> events) {
        return events.map(event -> event.kind() + " " + event.member().id().name() + " "
                + event.member().attributes().get("mood"));
    }

    @Test
    void whoComesLateIsToldOfThosePresentFirst() {
        view.put(listing(1, "glad"));
        view.put(listing(2, "glad"));
        view.put(listing(2, "sad"));
        StepVerifier.create(told(view.members()))
                .expectNext("JOINED node 1 glad", "JOINED node 2 sad")
                .then(() -> view.put(listing(1, "sad")))
                .then(() -> view.put(listing(1, "sad")))
                .expectNext("CHANGED node 1 sad")
                .then(() -> view.remove(id(1), LEFT))
                .then(() -> view.remove(id(1), FAILED))
                .then(() -> view.remove(id(2), FAILED))
                .expectNext("LEFT node 1 sad", "FAILED node 2 sad")
                .then(() -> assertThat(view.snapshot()).isEmpty())
                .then(view::close)
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void whoAsksSlowlyIsToldTheDifference() {
        view.put(listing(1, "glad"));
        view.put(listing(2, "glad"));
        StepVerifier.create(told(view.members()), 0)
                .thenRequest(1)
                .expectNext("JOINED node 1 glad")
                .then(() -> {
                    for (int round = 0; round < 1000; round++) {
                        view.put(listing(1, "mood " + round));
                        view.put(listing(3, "mood " + round));
                        view.remove(id(3), LEFT);
                    }
                    view.remove(id(2), FAILED);
                    view.put(listing(4, "glad"));
                })
                .thenRequest(10)
                .expectNext("CHANGED node 1 mood 999", "JOINED node 4 glad")
                .then(() -> view.remove(id(1), FAILED))
                .expectNext("FAILED node 1 mood 999")
                .thenCancel()
                .verify(LIMIT);
    }

    @Test
    void whoLeavesAndComesBackUnseenHasChangedAtMost() {
        view.put(listing(1, "glad"));
        StepVerifier.create(view.members().map(MemberEvent::kind), 1)
                .expectNext(JOINED)
                .then(() -> {
                    view.remove(id(1), FAILED);
                    view.put(listing(1, "glad"));
                })
                .thenRequest(5)
                .then(() -> view.put(listing(1, "sad")))
                .expectNext(CHANGED)
                .thenCancel()
                .verify(LIMIT);
    }

    @Test
    void instancesComeAsAWholeAndTheLatestOnly() {
        ServiceInstance fixed = ServiceInstance.at("tax", FAR);
        StepVerifier.create(view.instances("tax"), 1)
                .expectNext(List.of(fixed))
                .then(() -> {
                    view.put(listing(1, "glad", tax(1, NEAR)));
                    view.put(listing(2, "glad", tax(2, NEAR)));
                })
                .thenRequest(1)
                .expectNext(List.of(tax(1, NEAR), tax(2, NEAR), fixed))
                .thenRequest(5)
                .then(() -> view.put(listing(2, "sad", tax(2, NEAR))))
                .then(() -> view.remove(id(1), LEFT))
                .expectNext(List.of(tax(2, NEAR), fixed))
                .then(view::close)
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void aFixedAddressGivesWayToWhoTellsMoreOfIt() {
        view.put(listing(1, "glad", tax(1, FAR)));
        StepVerifier.create(view.instances("tax"))
                .expectNext(List.of(tax(1, FAR)))
                .then(() -> view.remove(id(1), FAILED))
                .expectNext(List.of(ServiceInstance.at("tax", FAR)))
                .thenCancel()
                .verify(LIMIT);
    }

    @Test
    void nothingBeginsAfterTheEnd() {
        view.close();
        view.put(listing(1, "glad"));
        StepVerifier.create(view.members()).expectComplete().verify(LIMIT);
        StepVerifier.create(view.instances("tax")).expectComplete().verify(LIMIT);
        assertThat(view.snapshot()).isEmpty();
    }
}
