package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Message;
import io.weir.core.Misconfigured;
import io.weir.core.Overloaded;
import io.weir.core.Refused;
import io.weir.core.Repeat;
import io.weir.core.SessionLost;
import io.weir.core.WeirException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Requests to one port, over two sessions. */
class AskerTest {

    private static final int ITEMS = 4;
    /** More than the peer gives credit for, beside those that its handler has. */
    private static final int MANY = 5 * ITEMS;

    private static final String PORT = "port";

    private final SessionPair pair = new SessionPair(
            NodeSpec.builder().windowItems(ITEMS).initialItems(ITEMS).build(), 64);
    /** What was sent, and is to be released. */
    private final List<Message> messages = new ArrayList<>();
    /** What the peer's handler has to answer, by the text of the request. */
    private final Map<String, Sinks.One<Message>> asked = new LinkedHashMap<>();

    private final Map<String, Disposable> told = new HashMap<>();
    private final List<String> cancelled = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private Disposable serving;

    AskerTest() {
        serving = pair.ports.serve(PORT, new AnswerHandler(pair.ports, (peer, message) -> {
            String text = message.text();
            message.release();
            Sinks.One<Message> answer = Sinks.one();
            asked.put(text, answer);
            return answer.asMono().doOnCancel(() -> cancelled.add(text));
        }));
    }

    private Message message(String text) {
        Message message = Message.of(text);
        messages.add(message);
        return message;
    }

    private Disposable ask(String text) {
        return pair.client.peer().ask(PORT, message(text)).subscribe(this::answered, failures::add);
    }

    private void tell(String text) {
        told.put(text, pair.client.peer().tell(PORT, message(text)).subscribe(null, failures::add));
    }

    private void ask(int from, int to) {
        IntStream.range(from, to).forEach(i -> {
            var unused = ask("" + i);
        });
    }

    private void answered(Message answer) {
        answers.add(answer.text());
        answer.release();
    }

    private void answer(String request) {
        Objects.requireNonNull(asked.get(request))
                .emitValue(message("re " + request), Sinks.EmitFailureHandler.FAIL_FAST);
    }

    private Asker asker() {
        return ConnectedPeer.of(pair.client.peer()).askers().of(PORT);
    }

    @AfterEach
    void allIsReleased() {
        pair.end();
        assertThat(messages).allMatch(message -> message.refCnt() == 0);
        assertThat(pair.memory.stats().used()).isZero();
    }

    @Test
    void eachAnswerGoesToItsOwnRequest() {
        ask(0, 3);
        pair.loop.settle();
        for (String each : List.of("2", "0", "1")) {
            assertThat(asker().idle()).isFalse();
            answer(each);
            pair.loop.settle();
        }
        assertThat(answers).containsExactly("re 2", "re 0", "re 1");
        assertThat(failures).isEmpty();
        assertThat(asker().idle()).isTrue();
    }

    @Test
    void behindEndlessCreditRequestsWaitWithinABoundAsWell() {
        ask(0, 1);
        pair.loop.settle();
        pair.client.frame(new Frame().set(FrameKind.CREDIT, 0, 1, 0).words(1 << 20, 0));
        ask(1, 20_000);
        assertThat(pair.client.stats().queuedMessages())
                .as("in the channel, as the link is full")
                .isEqualTo(1024);
        assertThat(failures)
                .hasSizeBetween(2000, 20_000 - 16 * 1024 - 1024)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(Overloaded.class)
                        .hasMessageContaining("limit how many are begun at once"));
    }

    @Test
    void moreThanTheChannelTakesAtOnceAreAllSentInTheirOrder() {
        SessionPair wide = new SessionPair(
                NodeSpec.builder().windowItems(10_000).initialItems(10_000).build(), 16);
        List<String> got = new ArrayList<>();
        List<String> expected =
                IntStream.range(0, 5000).mapToObj(Integer::toString).toList();
        var unused = wide.ports.serve(PORT, new AnswerHandler(wide.ports, (peer, message) -> Mono.just(message)));
        for (String each : expected) {
            wide.client.peer().ask(PORT, Message.of(each)).subscribe(answer -> {
                got.add(answer.text());
                answer.release();
            });
        }
        wide.loop.settle();
        assertThat(got).isEqualTo(expected);
        wide.end();
    }

    @Test
    void requestsBeyondTheCreditWaitAndGoInTheirOrder() {
        ask(0, MANY);
        pair.loop.settle();
        assertThat(asked.keySet()).containsExactly("0", "1", "2", "3");
        assertThat(pair.server.stats().queuedMessages())
                .as("behind those that are being answered")
                .isZero();
        for (int i = 0; i < MANY; i++) {
            answer("" + i);
            pair.loop.settle();
        }
        assertThat(asked.keySet())
                .containsExactlyElementsOf(
                        IntStream.range(0, MANY).mapToObj(i -> "" + i).toList());
        assertThat(answers).hasSize(MANY);
    }

    @Test
    void whoBeginsRequestsWithoutEndIsStopped() {
        int begun = 0;
        while (failures.isEmpty() && begun < 1_000_000) {
            var unused = ask("" + begun++);
        }
        assertThat(begun).isBetween(1000, 100_000);
        assertThat(failures).singleElement().isInstanceOfSatisfying(Overloaded.class, error -> {
            assertThat(error).hasMessageContaining("limit how many are begun at once");
            assertThat(error.repeat()).isEqualTo(Repeat.ANY);
        });
        assertThat(messages.get(begun - 1).refCnt()).isZero();
        assertThat(messages.get(begun - 2).refCnt()).isOne();
    }

    @Test
    void aRequestThatWasCancelledWhileItWaitedIsNeverSent() {
        ask(0, MANY);
        Disposable waits = ask("unwanted");
        ask(MANY, MANY + 1);
        pair.loop.settle();
        waits.dispose();
        assertThat(messages.get(MANY).refCnt()).isZero();
        for (int i = 0; i <= MANY; i++) {
            answer("" + i);
            pair.loop.settle();
        }
        assertThat(asked).doesNotContainKey("unwanted");
        assertThat(answers).hasSize(MANY + 1);
    }

    @Test
    void nothingIsWaitedForWhenTheOnlyRequestIsCancelledBeforeThePeerHasAccepted() {
        Disposable waits = ask("unwanted");
        assertThat(asker().idle()).isFalse();
        waits.dispose();
        assertThat(asker().idle()).isTrue();
        pair.loop.settle();
        assertThat(asked).isEmpty();
    }

    @Test
    void thePeerHearsOfACancelAndItsCreditComesBack() {
        List<Disposable> all =
                IntStream.range(0, ITEMS).mapToObj(i -> ask("" + i)).toList();
        pair.loop.settle();
        all.forEach(Disposable::dispose);
        pair.loop.settle();
        assertThat(cancelled).containsExactly("0", "1", "2", "3");
        assertThat(asker().idle()).isTrue();
        ask(ITEMS, 2 * ITEMS);
        pair.loop.settle();
        assertThat(asked).hasSize(2 * ITEMS);
    }

    @Test
    void anAnswerThatComesBehindTheCancelIsShownAndReleased() {
        List<String> late = new ArrayList<>();
        Disposable asking = pair.client
                .peer()
                .ask(PORT, message("a"), answer -> late.add(answer.text() + " of " + answer.refCnt()))
                .subscribe(this::answered, failures::add);
        Disposable unseen = ask("b");
        pair.loop.settle();
        answer("a");
        answer("b");
        asking.dispose();
        unseen.dispose();
        pair.loop.settle();
        assertThat(late).containsExactly("re a of 1");
        assertThat(answers).isEmpty();
        assertThat(messages).allMatch(message -> message.refCnt() == 0);
        assertThat(pair.client.endedWith()).isNull();
    }

    @Test
    void whatAwaitsNoAnswerIsOverWhenItIsOnTheWire() {
        List<String> done = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            String each = "" + i;
            pair.client.peer().tell(PORT, message(each)).subscribe(null, failures::add, () -> done.add(each));
        }
        assertThat(done).isEmpty();
        pair.loop.settle();
        assertThat(done).containsExactly("0", "1", "2", "3");
        assertThat(asked).containsOnlyKeys("0", "1", "2", "3");
        assertThat(asker().idle()).isTrue();
    }

    @Test
    void cancellingDropsOnlyWhatWaitsForCredit() {
        String longerThanTheLinkTakes = "x".repeat(3 << 20);
        tell("first");
        pair.loop.settle();
        for (String each : List.of(longerThanTheLinkTakes, "behind", "last of the credit", "waits")) {
            tell(each);
        }
        told.get("behind").dispose();
        told.get("waits").dispose();
        pair.loop.settle();
        List.copyOf(asked.keySet()).forEach(this::answer);
        pair.loop.settle();
        assertThat(asked).containsOnlyKeys("first", longerThanTheLinkTakes, "behind", "last of the credit");
        assertThat(failures).isEmpty();
        assertThat(asker().idle()).isTrue();
    }

    @Test
    void whatWasNotSentMayBeRepeatedWhenTheSessionIsLost() {
        Map<String, Throwable> lost = new LinkedHashMap<>();
        for (int i = 0; i < MANY; i++) {
            String text = "" + i;
            pair.client.peer().ask(PORT, message(text)).subscribe(this::answered, error -> lost.put(text, error));
        }
        pair.loop.settle();
        pair.client.lost(new SessionLost("cut"));
        assertThat(lost).hasSize(MANY).allSatisfy((text, error) -> {
            assertThat(error).isInstanceOf(SessionLost.class);
            if (asked.containsKey(text)) {
                assertThat(WeirException.mayRepeat(error)).isFalse();
            }
        });
        assertThat(WeirException.mayRepeat(Objects.requireNonNull(lost.get("" + (MANY - 1)))))
                .isTrue();
    }

    @Test
    void whenThePortIsServedNoLongerWhatIsUnderWayIsAnsweredAndWhatWaitsFails() {
        ask(0, MANY);
        pair.loop.settle();
        serving.dispose();
        pair.loop.settle();
        for (String each : List.copyOf(asked.keySet())) {
            answer(each);
            pair.loop.settle();
        }
        assertThat(answers).hasSizeGreaterThanOrEqualTo(ITEMS).hasSameSizeAs(asked.keySet());
        assertThat(failures).isNotEmpty().hasSize(MANY - asked.size()).allMatch(Refused.class::isInstance);
        int before = failures.size();
        var unused = ask("more");
        pair.loop.settle();
        assertThat(failures).hasSize(before + 1);
        assertThat(asked).doesNotContainKey("more");
    }

    /** The peer would take it as a breach of the protocol, and end the session for everybody. */
    @Test
    void aNameThatNoPortCanHaveFailsTheRequestOnly() {
        for (String name : List.of("", "x".repeat(PortNames.LONGEST + 1), "x".repeat(2 * MemoryLink.MAX_FRAME))) {
            var unused = pair.client.peer().ask(name, message("to nobody")).subscribe(this::answered, failures::add);
            var unusedToo = pair.client.peer().tell(name, message("nor this")).subscribe(null, failures::add);
        }
        var unused = ask("fine");
        pair.loop.settle();
        answer("fine");
        pair.loop.settle();
        assertThat(failures).hasSize(6).allMatch(Misconfigured.class::isInstance);
        assertThat(answers).hasSize(1);
        assertThat(messages).allMatch(message -> message.refCnt() == 0);
        assertThat(pair.server.endedWith()).isNull();
    }
}
