package io.weir.hostile;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values that take many times the memory of their messages, and are kept for a while. */
@Tag("one-jdk")
class ValuesTest {

    /** {@code {"a": 0}} in CBOR. */
    private static final byte[] SMALL = {(byte) 0xa1, 0x61, 'a', 0};

    private static final byte ARRAY = (byte) 0x9a;

    private static final int LONG = 400_000;
    private static final int SHORT = 15_000;

    private static final int CALL = 1;
    private static final int BIND = 2;
    private static final int HEADER = 12;

    @Test
    void inLongRequests() throws Exception {
        Attack.on(Size.TIGHT, attacker -> ask(attacker, LONG));
    }

    @Test
    void inShortRequests() throws Exception {
        Attack.on(Size.TIGHT, attacker -> ask(attacker, SHORT));
    }

    @Test
    void inLongCalls() throws Exception {
        Attack.on(Size.TIGHT, attacker -> call(attacker, LONG));
    }

    @Test
    void inShortCalls() throws Exception {
        Attack.on(Size.TIGHT, attacker -> call(attacker, SHORT));
    }

    private static ByteBuffer bytes(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] value(int count) {
        ByteBuffer value =
                ByteBuffer.allocate(5 + count * SMALL.length).put(ARRAY).putInt(count);
        for (int element = 0; element < count; element++) {
            value.put(SMALL);
        }
        return value.array();
    }

    private static byte[] request(int kind, byte[] body) {
        return bytes(HEADER + Integer.BYTES + body.length)
                .put(0, (byte) kind)
                .putInt(HEADER, body.length)
                .position(HEADER + Integer.BYTES)
                .put(body)
                .array();
    }

    private static void ask(Attacker attacker, int count) throws InterruptedException {
        byte[] value = value(count);
        attacker.attack(2, number -> {
            Session session = attacker.session().read();
            Channel channel = session.open("kept", Flag.REQUESTS, 1 << 20, 1 << 30);
            channel.awaitAccept();
            send(attacker, channel, value);
        });
    }

    private static void call(Attacker attacker, int count) throws InterruptedException {
        byte[] call = request(CALL, value(count));
        byte[] bind = request(BIND, Victim.Keeper.class.getName().getBytes(StandardCharsets.UTF_8));
        attacker.attack(2, number -> {
            Session session = attacker.session().read();
            Channel channel = session.open(Victim.Keeper.class.getName(), Flag.REQUESTS, 1 << 20, 1 << 30);
            channel.awaitAccept();
            channel.sendWhole(Frame.request(channel.number(), 1, bind));
            send(attacker, channel, call);
        });
    }

    private static void send(Attacker attacker, Channel channel, byte[] payload)
            throws IOException, InterruptedException {
        for (int request = 2;
                attacker.goesOn() && channel.sendWhole(Frame.request(channel.number(), request, payload));
                request++) {
            attacker.did();
        }
    }
}
