package io.weir.hostile;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;

/** CBOR that takes more than its length to read. */
@Tag("one-jdk")
class CodecTest {

    private static final int SHORTER = 800_000;
    private static final int LONGER = 3_000_000;

    /** A tag around what follows, an array of one element, and the beginning of an array without end. */
    private static final int TAG = 0xc1;

    private static final int ARRAY = 0x81;
    private static final int ENDLESS = 0x9f;

    @EachSize
    void nestedTagsOnAChannel(Size size) throws Exception {
        Attack.on(size, attacker -> send(attacker, "cbor", 0, TAG, SHORTER));
    }

    @EachSize
    void moreNestedTagsOnAChannel(Size size) throws Exception {
        Attack.on(size, attacker -> send(attacker, "cbor", 0, TAG, LONGER));
    }

    @EachSize
    void nestedTagsInRequests(Size size) throws Exception {
        Attack.on(size, attacker -> send(attacker, "cbor-answers", Flag.REQUESTS, TAG, SHORTER));
    }

    @EachSize
    void moreNestedTagsInRequests(Size size) throws Exception {
        Attack.on(size, attacker -> send(attacker, "cbor-answers", Flag.REQUESTS, TAG, LONGER));
    }

    @EachSize
    void nestedArrays(Size size) throws Exception {
        Attack.on(size, attacker -> send(attacker, "cbor", 0, ARRAY, SHORTER));
    }

    @EachSize
    void nestedArraysWithoutEnd(Size size) throws Exception {
        Attack.on(size, attacker -> send(attacker, "cbor-answers", Flag.REQUESTS, ENDLESS, SHORTER));
    }

    private static void send(Attacker attacker, String port, int flags, int opening, int length)
            throws InterruptedException {
        byte[] value = new byte[length];
        Arrays.fill(value, (byte) opening);
        attacker.attack(2, number -> {
            Session session = attacker.session().read();
            Channel channel = open(session, port, flags);
            for (int message = 1; attacker.goesOn(); message++) {
                Frame frame = flags == Flag.REQUESTS
                        ? Frame.request(channel.number(), message, value)
                        : Frame.data(channel.number(), value);
                if (channel.sendWhole(frame)) {
                    attacker.did();
                } else {
                    // The failure of the last message has ended it.
                    session.send(Frame.end(channel.number()));
                    channel = open(session, port, flags);
                }
            }
        });
    }

    private static Channel open(Session session, String port, int flags) throws IOException, InterruptedException {
        Channel channel = session.open(port, flags, 1000, 1 << 20);
        channel.awaitAccept();
        return channel;
    }
}
