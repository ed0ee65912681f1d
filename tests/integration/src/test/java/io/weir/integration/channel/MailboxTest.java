package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Mailbox;
import io.weir.channel.Match;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.Received;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.Refused;
import io.weir.core.RemoteFailure;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Everything that comes to one port, from all peers, in one place. */
class MailboxTest implements OnRoute {

    private static Message message(String text, String kind) {
        return Payloads.text(text).with("kind", kind);
    }

    private static String read(Received received) {
        String text = received.message().text();
        received.release();
        return text;
    }

    @Test
    void whatAllSendersTell(Nodes nodes) {
        Node far = nodes.start("far");
        Mailbox mailbox = far.mailbox("orders");
        assertThat(far.mailbox("orders")).isSameAs(mailbox);
        Map<String, List<String>> bySender = new ConcurrentHashMap<>();
        Probe<Received> received = Probe.of(
                Long.MAX_VALUE,
                each -> bySender.computeIfAbsent(each.from().id().name(), name -> new ArrayList<>())
                        .add(read(each)));
        mailbox.subscribe(received);

        Flux.range(0, 4)
                .flatMap(i -> nodes.start("sender" + i).connect(far.address()))
                .flatMap(peer -> Flux.range(0, 500)
                        .concatMap(n -> peer.tell("orders", message("n" + n, "x")))
                        .subscribeOn(Schedulers.parallel()))
                .blockLast(Patience.LIMIT);

        received.awaitReceived(2_000);
        assertThat(bySender).hasSize(4);
        bySender.values()
                .forEach(texts -> assertThat(texts)
                        .isEqualTo(Flux.range(0, 500)
                                .map(n -> "n" + n)
                                .collectList()
                                .block()));
        mailbox.dispose();
        received.awaitComplete();
        assertThat(far.mailbox("orders")).isNotSameAs(mailbox);
    }

    /** What nobody wants stays, in its order; who wants it later gets it. */
    @Test
    void whatMatches(Nodes nodes) {
        Node far = nodes.start("far");
        Node one = nodes.start("one");
        Node two = nodes.start("two");
        Mailbox mailbox = far.mailbox("orders");
        Peer ofOne = one.connect(far.address()).block(Patience.LIMIT);
        Peer ofTwo = two.connect(far.address()).block(Patience.LIMIT);
        for (int i = 0; i < 3; i++) {
            ofOne.tell("orders", message("one " + i, i == 1 ? "urgent" : "plain"))
                    .block(Patience.LIMIT);
            ofTwo.tell("orders", message("two " + i, i == 1 ? "urgent" : "plain"))
                    .block(Patience.LIMIT);
        }
        Patience.until("all are there", () -> mailbox.size() == 6);

        StepVerifier.create(mailbox.matching(Match.from(two.id()).and(Match.control("kind", "urgent")))
                        .next()
                        .map(MailboxTest::read))
                .expectNext("two 1")
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(mailbox.matching(Match.from(one.id())).take(2).map(MailboxTest::read))
                .expectNext("one 0", "one 1")
                .expectComplete()
                .verify(Patience.LIMIT);
        assertThat(mailbox.size()).isEqualTo(3);
        StepVerifier.create(mailbox.take(3).map(MailboxTest::read).collectList())
                .assertNext(rest -> assertThat(rest).containsExactlyInAnyOrder("two 0", "one 2", "two 2"))
                .expectComplete()
                .verify(Patience.LIMIT);
        mailbox.dispose();
    }

    @Test
    void whoAsksIsAnswered(Nodes nodes) {
        Pair pair = nodes.pair();
        Mailbox mailbox = pair.far().mailbox("questions");
        var answering = mailbox.flatMap(question -> question.awaitsAnswer()
                        ? question.message().text().equals("why")
                                ? question.refuse("because")
                                : question.answer(
                                        message("re: " + question.message().text(), "answer"))
                        : question.answer(message("?", "x")).onErrorComplete(IllegalStateException.class))
                .subscribe();

        StepVerifier.create(Flux.range(0, 300)
                        .flatMap(i -> pair.peer()
                                .ask("questions", message("q" + i, "x"))
                                .map(Payloads::read)
                                .doOnNext(text -> assertThat(text).isEqualTo("re: q" + i))))
                .expectNextCount(300)
                .expectComplete()
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().ask("questions", message("why", "x")))
                .expectErrorSatisfies(error ->
                        assertThat(error).isInstanceOf(RemoteFailure.class).hasMessageContaining("because"))
                .verify(Patience.LIMIT);
        StepVerifier.create(pair.peer().tell("questions", message("aside", "x")))
                .expectComplete()
                .verify(Patience.LIMIT);
        pair.settle();
        answering.dispose();
        mailbox.dispose();
        StepVerifier.create(pair.peer().ask("questions", message("late", "x")))
                .expectError(Refused.class)
                .verify(Patience.LIMIT);
    }

    /** What nobody wants makes its sender wait, and nobody else. */
    @Test
    void whatNobodyWantsIsBounded(Nodes nodes) {
        Pair pair = nodes.pair(spec -> spec, spec -> spec.mailboxItems(50).windowItems(64));
        Mailbox mailbox = pair.far().mailbox("orders");
        Probe<Received> urgent = Probe.of(Long.MAX_VALUE, Received::release);
        mailbox.matching(Match.control("kind", "urgent")).subscribe(urgent);
        AtomicInteger told = new AtomicInteger();
        Probe<Void> telling = Probe.end();
        Flux.range(0, 5_000)
                .concatMap(i -> pair.peer()
                        .tell("orders", message("n" + i, "plain"))
                        .doOnSuccess(nothing -> told.incrementAndGet()))
                .subscribe(telling);
        Patience.until("it has its share", () -> mailbox.size() == 50);
        Peer other = nodes.start("other").connect(pair.far().address()).block(Patience.LIMIT);
        for (int i = 0; i < 200; i++) {
            other.tell("orders", message("at once", "urgent")).block(Patience.LIMIT);
        }

        urgent.awaitReceived(200);
        assertThat(mailbox.size()).isEqualTo(50);
        assertThat(told.get()).isLessThanOrEqualTo(50 + 4 * 64);

        // It was only waiting.
        AtomicInteger next = new AtomicInteger();
        Probe<Received> all =
                Probe.of(Long.MAX_VALUE, each -> assertThat(read(each)).isEqualTo("n" + next.getAndIncrement()));
        mailbox.subscribe(all);
        all.awaitReceived(5_000);
        telling.awaitComplete();
        mailbox.dispose();
        all.awaitComplete();
        urgent.awaitComplete();
    }

    @Test
    void whatIsLeftIsReleased(Nodes nodes) {
        Pair pair = nodes.pair();
        Mailbox mailbox = pair.far().mailbox("orders");
        for (int i = 0; i < 20; i++) {
            pair.peer().tell("orders", message("n" + i, "x")).block(Patience.LIMIT);
        }
        Probe<Received> two = Probe.of(2, Received::release);
        mailbox.subscribe(two);
        two.awaitReceived(2);
        two.cancel();

        mailbox.dispose();

        // The loop may still be taking in what has come last.
        Patience.until("nothing waits", () -> mailbox.size() == 0);
        StepVerifier.create(mailbox).expectComplete().verify(Patience.LIMIT);
        var other = pair.far().serve("taken", channel -> Mono.never());
        assertThatThrownBy(() -> pair.far().mailbox("taken")).isInstanceOf(Misconfigured.class);
    }

    /** A node that closes releases what its mailboxes hold. */
    @Test
    void aNodeThatCloses(Nodes nodes) {
        Pair pair = nodes.pair();
        Mailbox mailbox = pair.far().mailbox("orders");
        Probe<Received> waiting = Probe.of(1, Received::release);
        mailbox.matching(Match.control("kind", "never")).subscribe(waiting);
        for (int i = 0; i < 20; i++) {
            pair.peer().tell("orders", message("n" + i, "x")).block(Patience.LIMIT);
        }
        pair.settle();

        pair.far().close().block(Patience.LIMIT);

        waiting.awaitComplete();
        assertThat(mailbox.isDisposed()).isTrue();
    }

    /** Reactor hands such an error on to whoever has called. */
    @Test
    void aReceiverThatFailsFatallyFailsAlone(Nodes nodes) {
        Node far = nodes.start("far");
        Mailbox mailbox = far.mailbox("orders");
        Probe<Received> fails = Probe.of(Long.MAX_VALUE, each -> {});
        mailbox.matching(Match.control("kind", "bad"))
                .doOnNext(each -> {
                    each.release();
                    throw new StackOverflowError("made up");
                })
                .subscribe(fails);
        Probe<Received> breaks = Probe.of(Long.MAX_VALUE, each -> {});
        mailbox.matching(each -> {
                    throw new IllegalStateException("a match that fails");
                })
                .subscribe(breaks);
        List<String> texts = new ArrayList<>();
        Probe<Received> others = Probe.of(Long.MAX_VALUE, each -> texts.add(read(each)));
        mailbox.subscribe(others);

        Peer peer = nodes.start("near").connect(far.address()).block(Patience.LIMIT);
        for (String kind : List.of("good", "bad", "bad", "good")) {
            peer.tell("orders", message(kind, kind)).block(Patience.LIMIT);
        }

        assertThat(fails.awaitError()).isInstanceOf(StackOverflowError.class);
        assertThat(breaks.awaitError()).hasMessage("a match that fails");
        others.awaitReceived(3);
        assertThat(texts).containsExactly("good", "bad", "good");
    }
}
