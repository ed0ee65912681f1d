package io.weir.hostile;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** Mailboxes from which nobody reads, or not fast enough. */
@Tag("one-jdk")
class MailboxTest {

    private static final int REQUESTS = 4096;
    private static final byte[] LONG = new byte[1 << 20];
    private static final byte[] SHORT = new byte[1000];

    @EachSize
    void longMessagesOnOneChannelFromOneSessionAfterTheOther(Size size) throws Exception {
        Attack.on(size, attacker -> fill(attacker, "box", 1));
    }

    @EachSize
    void longMessagesOnManyChannelsFromOneSessionAfterTheOther(Size size) throws Exception {
        Attack.on(size, attacker -> fill(attacker, "box", 64));
    }

    @EachSize
    void longMessagesForASlowReader(Size size) throws Exception {
        Attack.on(size, attacker -> fill(attacker, "box-read", 16));
    }

    @EachSize
    void requestsWhoseAnswersAreNotTaken(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(3, number -> {
                Session session = attacker.session().read();
                Channel channel = session.open(number == 0 ? "box" : "box-read", Flag.REQUESTS, 0, 0);
                for (int request = 1; request <= REQUESTS && channel.awaitCredit(SHORT.length); request++) {
                    channel.send(Frame.request(channel.number(), request, SHORT));
                    attacker.did();
                }
                attacker.lurk();
            });
        });
    }

    /** Every other session sends control data of thousands of entries, which takes a while to look through. */
    @EachSize
    void messagesThatNoneOfManyReadersWants(Size size) throws Exception {
        byte[] entries = new byte[16_000];
        for (int entry = 0; entry < entries.length; entry += 4) {
            entries[entry] = 1;
            entries[entry + 1] = 'k';
        }
        Attack.on(
                size,
                attacker -> attacker.attack(4, number -> {
                    byte[] control = number % 2 == 0 ? new byte[0] : entries;
                    Session session = attacker.session().read();
                    Channel channel = session.open("box-chosen", 0, 0, 0);
                    while (channel.awaitCredit(1 + control.length)) {
                        channel.send(Frame.data(channel.number(), new byte[1]).withControl(control));
                        attacker.did();
                    }
                }));
    }

    @EachSize
    void shortMessagesOnHundredsOfChannelsOfOneSessionAfterTheOther(Size size) throws Exception {
        Attack.on(
                size,
                attacker -> attacker.attackAgain(2, number -> {
                    try (Session session = attacker.session().read()) {
                        List<Channel> channels = new ArrayList<>();
                        for (int each = 0; each < 300; each++) {
                            channels.add(session.open(number == 0 ? "box" : "box-read", 0, 0, 0));
                        }
                        for (Channel channel : channels) {
                            while (channel.awaitAccept() && channel.affords(1) && attacker.goesOn()) {
                                channel.send(Frame.data(channel.number(), new byte[1]));
                                attacker.did();
                            }
                        }
                    }
                }));
    }

    private static void fill(Attacker attacker, String port, int count) throws InterruptedException {
        attacker.attackAgain(2, number -> {
            try (Session session = attacker.session().read()) {
                List<Channel> channels = new ArrayList<>();
                for (int each = 0; each < count; each++) {
                    channels.add(session.open(port, 0, 0, 0));
                }
                for (Channel channel : channels) {
                    // Until there is no credit at once; then the next session takes its turn.
                    while (channel.awaitAccept() && channel.affords(LONG.length) && attacker.goesOn()) {
                        if (channel.sendWhole(Frame.data(channel.number(), LONG))) {
                            attacker.did();
                        }
                    }
                    if (channel.awaitAccept() && !channel.affords(LONG.length)) {
                        session.send(Frame.want(channel.number(), LONG.length));
                        attacker.did();
                    }
                }
            }
        });
    }
}
