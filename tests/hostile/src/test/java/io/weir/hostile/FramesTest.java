package io.weir.hostile;

import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;

/** Floods of frames, of such as are permitted and of such as are not. */
@Tag("one-jdk")
class FramesTest {

    private static final int SESSIONS = 3;
    private static final int BATCH = 1000;
    private static final int LONGEST = 65_536;
    private static final int CONTROL = 16_384;
    private static final byte[] NOTHING = {};

    @EachSize
    void pings(Size size) throws Exception {
        flood(size, true, NOTHING, many(ping -> Frame.of(Kind.PING, 0, 0, ping)));
    }

    @EachSize
    void pingsWhoseAnswersAreNotRead(Size size) throws Exception {
        flood(size, false, NOTHING, many(ping -> Frame.of(Kind.PING, 0, 0, ping)));
    }

    @EachSize
    void pongsThatNobodyAskedFor(Size size) throws Exception {
        flood(size, true, NOTHING, many(pong -> Frame.of(Kind.PONG, 0, 0, pong)));
    }

    @EachSize
    void goodbyes(Size size) throws Exception {
        byte[] why = new byte[LONGEST];
        Arrays.fill(why, (byte) '\n');
        flood(size, true, NOTHING, Frame.of(Kind.GOODBYE, 0, 0, 0).with(why).bytes());
    }

    @EachSize
    void framesOfUnknownKinds(Size size) throws Exception {
        flood(
                size,
                true,
                NOTHING,
                Frame.of(200, 255, 1, 1).with(new byte[LONGEST]).bytes());
    }

    @EachSize
    void framesOfKindsThatNoReceiverSkips(Size size) throws Exception {
        flood(size, true, NOTHING, Frame.of(99, 0, 0, 0).bytes());
    }

    @EachSize
    void controlDataOfTheGreatestSizeOnEachMessage(Size size) throws Exception {
        // The echo takes it back and forth.
        byte[] control = new byte[CONTROL];
        control[0] = 1;
        control[1] = 'k';
        int value = CONTROL - 4;
        control[2] = (byte) value;
        control[3] = (byte) (value >> 8);
        flood(
                size,
                true,
                Frame.open(1, "echo", 0, 1 << 20, 1 << 30).bytes(),
                Frame.join(repeated(16, Frame.data(1, NOTHING).withControl(control))));
    }

    @EachSize
    void echoesAndAnswersThatAreNotRead(Size size) throws Exception {
        byte[] opens = Frame.join(
                Frame.open(1, "echo", 0, 1 << 30, 1L << 40),
                Frame.open(3, "answers", Flag.REQUESTS, 1 << 30, 1L << 40));
        byte[] payload = new byte[4000];
        flood(size, false, opens, Frame.join(Frame.data(1, payload), Frame.request(3, 1, NOTHING)));
    }

    @EachSize
    void creditInSmallPieces(Size size) throws Exception {
        flood(
                size,
                true,
                Frame.join(Frame.open(1, "echo", 0, 1000, 1), Frame.data(1, new byte[4000])),
                many(credit -> Frame.credit(1, credit % 2, 1)));
    }

    @EachSize
    void creditBeyondAllBounds(Size size) throws Exception {
        flood(
                size,
                true,
                Frame.open(1, "echo", 0, 1, 1).bytes(),
                many(credit -> Frame.credit(1, Long.MAX_VALUE / 4, Long.MAX_VALUE / 4)));
    }

    @EachSize
    void aborts(Size size) throws Exception {
        flood(
                size,
                true,
                Frame.open(1, "late-answers", Flag.REQUESTS, 1 << 20, 1 << 30).bytes(),
                Frame.join(
                        Frame.request(1, 1, NOTHING),
                        Frame.of(Kind.ABORT, 0, 1, 1),
                        Frame.of(Kind.ABORT, 0, 1, 77),
                        Frame.request(1, 2, NOTHING),
                        Frame.of(Kind.ABORT, 0, 1, 2)));
    }

    @EachSize
    void endsThatWantToBeConfirmed(Size size) throws Exception {
        byte[] all = many(each -> switch (each % 4) {
            case 0 -> Frame.open(2 * (each / 4) + 1, "sink", 0, 1, 1);
            case 1 -> Frame.of(Kind.END, Flag.CONFIRM, 2 * (each / 4) + 1, 0);
            case 2 -> Frame.of(Kind.CANCEL, 0, 2 * (each / 4) + 1, 0);
            default -> Frame.of(Kind.DELIVERED, 0, 2 * (each / 4) + 1, 0);
        });
        flood(size, true, all, all);
    }

    @EachSize
    void proposalsMovesAndResumptions(Size size) throws Exception {
        for (Frame frame : new Frame[] {
            Frame.of(Kind.PROPOSE, 0, 0, 2).with("tcp".getBytes(StandardCharsets.US_ASCII)),
            Frame.of(Kind.MOVE, 0, 0, 1, 0),
            Frame.of(Kind.RESUME, 0, 0, 1, 0),
            Frame.of(Kind.LOST, 0, 0, 1, -1),
            Frame.of(Kind.ACK, 0, 0, 0, Long.MAX_VALUE),
        }) {
            flood(size, true, NOTHING, frame.bytes());
        }
    }

    @EachSize
    void anythingAtAll(Size size) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        byte[] opens = Frame.join(
                Frame.open(1, "echo", 0, 1000, 1 << 20),
                Frame.open(3, "late-answers", Flag.REQUESTS, 1000, 1 << 20),
                Frame.open(5, "never", 0, 0, 0));
        Attack.on(size, attacker -> {
            for (int round = 0; round < 100 && attacker.goesOn(); round++) {
                attacker.once(4, opens, many(each -> random(random)));
            }
        });
    }

    private static Frame random(Random random) {
        int[] kinds = {16, 17, 18, 32, 33, 34, 34, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 200};
        int kind = kinds[random.nextInt(kinds.length)];
        int channel = random.nextInt(8);
        int aux = random.nextInt(4);
        long word = random.nextInt(1 << 18);
        int flags = random.nextInt(4);
        Frame frame = Frame.of(kind, flags, channel, aux);
        return switch (kind) {
            case Kind.OPEN, Kind.ACCEPT, Kind.CREDIT ->
                Frame.of(kind, flags, channel, aux, word, word).with("echo".getBytes(StandardCharsets.US_ASCII));
            case Kind.FIRST, Kind.WANT ->
                Frame.of(kind, flags, channel, aux, word).with(new byte[random.nextInt(99)]);
            default -> frame.with(new byte[random.nextInt(99)]);
        };
    }

    private static void flood(Size size, boolean reads, byte[] first, byte[] again) throws Exception {
        Attack.on(size, attacker -> attacker.flood(SESSIONS, reads, first, again));
    }

    private static byte[] many(IntFunction<Frame> frame) {
        Frame[] frames = new Frame[BATCH];
        Arrays.setAll(frames, frame);
        return Frame.join(frames);
    }

    private static Frame[] repeated(int count, Frame frame) {
        Frame[] frames = new Frame[count];
        Arrays.fill(frames, frame);
        return frames;
    }
}
