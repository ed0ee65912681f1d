package io.weir.hostile;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests whose answers nobody takes. */
class AnswersTest {

    private static final int REQUESTS = 16_384;
    private static final byte[] EMPTY = {};

    @ParameterizedTest
    @EnumSource(Size.class)
    void answersThatGetNoCredit(Size size) throws Exception {
        Attack.on(size, attacker -> ask(attacker, "answers", 0, 0));
    }

    @ParameterizedTest
    @EnumSource(Size.class)
    void lateAnswersThatGetNoCredit(Size size) throws Exception {
        Attack.on(size, attacker -> ask(attacker, "late-answers", 0, 0));
    }

    @ParameterizedTest
    @EnumSource(Size.class)
    void lateAnswersThatGetCreditForOneByteEach(Size size) throws Exception {
        Attack.on(size, attacker -> ask(attacker, "late-answers", REQUESTS, REQUESTS));
    }

    private static void ask(Attacker attacker, String port, long items, long bytes) throws InterruptedException {
        attacker.attack(3, number -> {
            Session session = attacker.session().read();
            Channel channel = session.open(port, Flag.REQUESTS, items, bytes);
            for (int request = 1; request <= REQUESTS && channel.awaitCredit(0); request++) {
                channel.send(Frame.request(channel.number(), request, EMPTY));
                attacker.did();
            }
            attacker.lurk();
        });
    }
}
