package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Message;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.Repeat;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class AskersTest {

    private final SessionPair pair =
            new SessionPair(NodeSpec.builder().windowItems(1).initialItems(1).build(), 16);
    private final List<Message> requests = new ArrayList<>();
    private final List<String> answers = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Sinks.One<Message>> due = new ArrayList<>();

    private void ask(String port, String text) {
        Message request = Message.of(text);
        requests.add(request);
        pair.client
                .peer()
                .ask(port, request)
                .subscribe(
                        answer -> {
                            answers.add(answer.text());
                            answer.release();
                        },
                        failures::add);
        pair.loop.settle();
    }

    private void serveEcho(String port) {
        pair.ports.serve(port, new AnswerHandler(pair.ports, (peer, message) -> Mono.just(message)));
    }

    /** Answers when the test says so. */
    private void serveLate(String port) {
        pair.ports.serve(port, new AnswerHandler(pair.ports, (peer, message) -> {
            message.release();
            Sinks.One<Message> answer = Sinks.one();
            due.add(answer);
            return answer.asMono();
        }));
    }

    private void answer(int number) {
        due.get(number).emitValue(Message.of("answer " + number), Sinks.EmitFailureHandler.FAIL_FAST);
        pair.loop.settle();
    }

    private void serverLeaves() {
        pair.server.leaving().inform().subscribe();
        pair.loop.settle();
        assertThat(pair.client.peer().isLeaving()).isTrue();
    }

    @AfterEach
    void allIsReleased() {
        pair.end();
        assertThat(requests).allMatch(request -> request.refCnt() == 0);
    }

    @Test
    void allRequestsToOnePortGoOverOneChannel() {
        serveEcho("a");
        serveEcho("b");
        for (int i = 0; i < 5; i++) {
            ask("a", "a" + i);
        }
        assertThat(pair.client.channelCount()).isOne();
        ask("b", "b");
        assertThat(pair.client.channelCount()).isEqualTo(2);
        assertThat(answers).containsExactly("a0", "a1", "a2", "a3", "a4", "b");
    }

    @Test
    void aChannelThatHasFailedIsOpenedAgain() {
        ask("a", "too early");
        assertThat(failures).singleElement().isInstanceOf(Refused.class);
        assertThat(pair.client.channelCount()).isZero();
        serveEcho("a");
        ask("a", "now");
        assertThat(answers).containsExactly("now");
        assertThat(failures).hasSize(1);
    }

    @Test
    void whenThePeerLeavesWhatIsUnderWayIsAnsweredAndNothingElseIsBegun() {
        serveLate("a");
        for (int i = 0; i < 10; i++) {
            ask("a", "" + i);
        }
        serverLeaves();
        assertThat(failures)
                .hasSizeBetween(1, 9)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOfSatisfying(
                                PeerUnavailable.class,
                                it -> assertThat(it.repeat()).isEqualTo(Repeat.ANY)));
        assertThat(requests.get(9).refCnt()).isZero();
        int sent = 10 - failures.size();
        ask("a", "too late");
        ask("b", "too late");
        assertThat(failures).hasSize(12 - sent).allMatch(PeerUnavailable.class::isInstance);
        for (int i = 0; i < sent; i++) {
            answer(i);
        }
        assertThat(answers).hasSize(sent);
        assertThat(due).hasSize(sent);
    }

    /** What the peer has begun can't end without them. */
    @Test
    void callbacksStillGoToAPeerThatLeaves() {
        serveLate("weir.references");
        for (int i = 0; i < 10; i++) {
            ask("weir.references", "" + i);
        }
        serverLeaves();
        ask("weir.references", "10");
        for (int i = 0; i <= 10; i++) {
            answer(i);
        }
        assertThat(answers).hasSize(11);
        assertThat(failures).isEmpty();
    }
}
