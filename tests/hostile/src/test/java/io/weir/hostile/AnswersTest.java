package io.weir.hostile;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Requests whose answers nobody takes. */
@Tag("one-jdk")
class AnswersTest {

    private static final int REQUESTS = 16_384;
    private static final int CHANNELS = 500;
    private static final byte[] EMPTY = {};

    @EachSize
    void answersThatGetNoCredit(Size size) throws Exception {
        Attack.on(size, attacker -> ask(attacker, "answers", 0, 0));
    }

    @EachSize
    void lateAnswersThatGetNoCredit(Size size) throws Exception {
        Attack.on(size, attacker -> ask(attacker, "late-answers", 0, 0));
    }

    @EachSize
    void lateAnswersThatGetCreditForOneByteEach(Size size) throws Exception {
        Attack.on(size, attacker -> ask(attacker, "late-answers", REQUESTS, REQUESTS));
    }

    /** The first answer of each channel waits behind nothing. */
    @EachSize
    void oneAnswerOnEachOfManyChannelsThatGetsNoCredit(Size size) throws Exception {
        Attack.on(size, attacker -> askOnMany(attacker, 0, 0));
    }

    /** Each is being cut into frames, and the connection takes none. */
    @EachSize
    void oneAnswerOnEachOfManyChannelsThatIsNotRead(Size size) throws Exception {
        Attack.on(size, attacker -> askOnMany(attacker, 1, 4 << 20));
    }

    private static void askOnMany(Attacker attacker, long items, long bytes) throws InterruptedException {
        attacker.attack(6, number -> {
            Session session = attacker.session();
            List<Channel> channels = new ArrayList<>();
            for (int each = 0; each < CHANNELS; each++) {
                channels.add(session.open("long-answers", Flag.REQUESTS, items, bytes));
            }
            int answered = 0;
            while (answered < CHANNELS) {
                int kind = session.next().kind();
                answered += kind == Kind.ACCEPT || kind == Kind.ERROR ? 1 : 0;
            }
            for (Channel channel : channels) {
                if (channel.affords(0)) {
                    channel.send(Frame.request(channel.number(), 1, EMPTY));
                    attacker.did();
                }
            }
            attacker.lurk();
        });
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
