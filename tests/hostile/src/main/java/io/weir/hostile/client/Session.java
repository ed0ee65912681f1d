package io.weir.hostile.client;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A session that this side has begun. Any thread may send; one reads, by {@link #next} or in the background by
 * {@link #read}.
 */
public final class Session implements AutoCloseable {

    private static final int READ_MILLIS = 20_000;
    private static final int ATTEMPT = 1;
    private static final int ACK_FRAMES = 32;
    private static final long ACK_BYTES = 128 << 10;

    private final Wire wire;
    private final Map<Integer, Channel> channels = new ConcurrentHashMap<>();
    private final AtomicInteger lastNumber = new AtomicInteger(-1);
    private final AtomicLong frames = new AtomicLong();

    // Of the thread that reads.
    private boolean counting;
    private long count;
    private long acknowledged;
    private long unacknowledgedBytes;

    private volatile boolean leads;
    private volatile String ending = "";

    private Session(Wire wire) {
        this.wire = wire;
    }

    /** Connects to a node that listens there. */
    public static Session connect(InetSocketAddress address, Identity self) throws IOException {
        return over(new TcpWire(address, READ_MILLIS), self);
    }

    /** Makes a session out of a wire that has carried nothing yet; closes it if that fails. */
    public static Session over(Wire wire, Identity self) throws IOException {
        Session session = new Session(wire);
        try {
            session.begin(self);
            return session;
        } catch (IOException failed) {
            wire.close();
            throw failed;
        }
    }

    /**
     * Has a node try a path other than tcp, over a wire that has carried nothing yet and stays open.
     *
     * @param uid of the user whose process this claims to be
     * @param ours what is offered behind the nonce
     * @return what the node offers there
     */
    public static byte[] offers(Wire wire, Identity self, int uid, String path, byte[] ours) throws IOException {
        Session session = new Session(wire);
        session.introduce(self, Identity.card(uid, "tcp", path));
        wire.send(Frame.of(Kind.PROPOSE, 0, 0, ATTEMPT).with(path.getBytes(StandardCharsets.UTF_8)));
        byte[] theirs = session.await(Kind.OFFER).body();
        wire.send(Frame.of(Kind.OFFER, 0, 0, ATTEMPT)
                .with(new Bytes().word(0).bytes(ours).toArray()));
        return Arrays.copyOfRange(theirs, 8, theirs.length);
    }

    /**
     * Says this HELLO over a wire that has carried nothing yet, and takes HELLO and PROOF of the node: the exchange
     * goes on with our PROOF.
     */
    public static Exchange greet(Wire wire, Identity self, Key ephemeral, byte[] hello) throws IOException {
        return new Session(wire).greet(self, ephemeral, hello);
    }

    private Exchange greet(Identity self, Key ephemeral, byte[] hello) throws IOException {
        wire.send(Frame.of(Kind.HELLO, 0, 0, 0).with(hello));
        Exchange exchange =
                new Exchange(self, ephemeral, hello, await(Kind.HELLO).body());
        exchange.take(await(Kind.PROOF).body());
        return exchange;
    }

    private void introduce(Identity self, byte[] card) throws IOException {
        Key ephemeral = Key.fresh();
        Exchange exchange = greet(self, ephemeral, self.hello(wire.dialled(), ephemeral));
        wire.send(Frame.of(Kind.PROOF, 0, 0, 0).with(exchange.proof()));
        leads = exchange.takeSecond(await(Kind.PROOF).body());
        wire.send(Frame.of(Kind.CARD, 0, 0, 0).with(card));
        await(Kind.CARD);
    }

    private void begin(Identity self) throws IOException {
        introduce(self, Identity.card());
        wire.send(Frame.of(Kind.PROPOSE, 0, 0, ATTEMPT).with(wire.path().getBytes(StandardCharsets.UTF_8)));
        byte[] offer = await(Kind.OFFER).body();
        if (offer.length != 8) {
            throw new IOException("the node offers a data address, which this client has no use for");
        }
        long nonce = ThreadLocalRandom.current().nextLong();
        wire.send(
                Frame.of(Kind.OFFER, 0, 0, ATTEMPT).with(new Bytes().word(nonce).toArray()));
        await(Kind.OPENED);
        long nonceOfA = ByteBuffer.wrap(offer).order(ByteOrder.LITTLE_ENDIAN).getLong();
        wire.send(Frame.of(Kind.OPENED, 0, 0, ATTEMPT), Frame.of(Kind.PROBE, 0, 0, ATTEMPT, nonceOfA, 1));
        if (await(Kind.PROBED).words()[0] != nonce) {
            throw new IOException("PROBED has another nonce than ours");
        }
        wire.send(Frame.of(Kind.USE, 0, 0, ATTEMPT));
        await(Kind.USE);
    }

    private Frame await(int kind) throws IOException {
        while (true) {
            Frame frame = wire.receive();
            if (frame.kind() == kind) {
                return frame;
            }
            if (frame.kind() == Kind.REFUSE || frame.kind() == Kind.FAILED) {
                throw new Refusal(frame);
            }
        }
    }

    /** Sends whatever it is. */
    public void send(Frame... sent) throws IOException {
        wire.send(sent);
    }

    /** What it goes over, for bytes that are no frames. */
    public Wire wire() {
        return wire;
    }

    /**
     * Opens a channel, and grants what the node may send on it; it can be used when {@link Channel#awaitAccept}
     * returns.
     */
    public Channel open(String port, int flags, long items, long bytes) throws IOException {
        Channel channel = channel(lastNumber.addAndGet(2));
        wire.send(Frame.open(channel.number(), port, flags, items, bytes));
        return channel;
    }

    /** The books of a channel of any number, for whoever sends its frames himself. */
    public Channel channel(int number) {
        Channel channel = channels.computeIfAbsent(number, key -> new Channel(this, key));
        if (!ending.isEmpty()) {
            channel.lost();
        }
        return channel;
    }

    /** The next frame. PING is answered, frames are acknowledged and credit is booked before it is returned. */
    public Frame next() throws IOException {
        Frame frame;
        try {
            frame = wire.receive();
        } catch (IOException ended) {
            end(ended instanceof EOFException ? "closed" : String.valueOf(ended.getMessage()));
            throw ended;
        }
        frames.incrementAndGet();
        acknowledge(frame);
        switch (frame.kind()) {
            case Kind.PING -> wire.send(Frame.of(Kind.PONG, 0, 0, frame.aux()));
            case Kind.ACCEPT, Kind.DATA, Kind.FIRST, Kind.END, Kind.CANCEL, Kind.ERROR, Kind.CREDIT, Kind.DELIVERED ->
                channel(frame.channel()).took(frame);
            case Kind.GOODBYE -> end(frame.toString());
            default -> {}
        }
        return frame;
    }

    private void acknowledge(Frame frame) throws IOException {
        if (frame.kind() == Kind.ACK) {
            counting = counting || frame.words()[0] == 0;
        } else if (counting && frame.kind() < Kind.SKIPPED) {
            count++;
            unacknowledgedBytes += frame.body().length;
            if (count - acknowledged >= ACK_FRAMES || unacknowledgedBytes >= ACK_BYTES) {
                acknowledged = count;
                unacknowledgedBytes = 0;
                wire.send(Frame.of(Kind.ACK, 0, 0, 0, count));
            }
        }
    }

    private void end(String how) {
        if (ending.isEmpty()) {
            ending = how;
        }
        channels.values().forEach(Channel::lost);
    }

    /** Reads in the background until the session ends, so that the node may go on sending. */
    public Session read() {
        Thread reader = new Thread(
                () -> {
                    try {
                        while (true) {
                            next();
                        }
                    } catch (IOException ended) {
                        end(String.valueOf(ended.getMessage()));
                    }
                },
                "hostile-reader");
        reader.setDaemon(true);
        reader.start();
        return this;
    }

    /** Whether the node says that what was dialled leads to it. */
    public boolean leads() {
        return leads;
    }

    /** How many frames have come. */
    public long frames() {
        return frames.get();
    }

    /** How the session has ended, in words; empty while it goes on. */
    public String ending() {
        return ending;
    }

    @Override
    public void close() {
        wire.close();
    }
}
