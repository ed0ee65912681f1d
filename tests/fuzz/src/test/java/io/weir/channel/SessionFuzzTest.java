package io.weir.channel;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.channel.SessionProgram.Step;
import io.weir.core.FrameKind;
import java.io.ByteArrayOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a peer sends in a session, and whatever the program does meanwhile: who keeps the rules is served, who
 * breaks them loses the session and nothing else, subscribers see what they asked for, and nothing stays behind.
 */
class SessionFuzzTest {

    private static final int READ = 0;
    private static final int KEEP = 1;
    private static final int ECHO = 2;
    private static final int SEND = 3;
    private static final int BOTH = 4;
    private static final int ASK = 5;
    private static final int BOX = 6;
    private static final int TAKE = 7;

    /** The arguments are as {@link SessionProgram} takes them; ports are numbered by their place in its list. */
    static Stream<byte[]> seeds() {
        return Stream.of(
                // A subscriber asks, messages of all lengths come, and both halves end.
                code(0, 0)
                        .step(Step.HABIT, 9)
                        .step(Step.OPEN, READ, 0, 0xff)
                        .step(Step.TURN)
                        .step(Step.DATA, 0, 0, 5)
                        .step(Step.DATA, 0, 0, 0x80 | 6)
                        .step(Step.DATA, 0, 0x80, 5)
                        .step(Step.REQUEST, 0, 5)
                        .step(Step.FIRST, 0, 0x80, 12)
                        .step(Step.NEXT, 0, 255)
                        .step(Step.END, 0, 1)
                        .step(Step.WORK_ENDS, 0, 1)
                        .step(Step.TURN)
                        .bytes(),
                // What is kept, a message beyond the window, and what is consumed.
                code(1, 1)
                        .step(Step.OPEN, KEEP, 0, 0xff)
                        .step(Step.REQUEST, 0, 19)
                        .step(Step.WANT, 0, 14)
                        .step(Step.FIRST, 0, 0x80, 14)
                        .step(Step.NEXT, 0, 255)
                        .step(Step.NEXT, 0, 255)
                        .step(Step.NEXT, 0, 255)
                        .step(Step.CONSUME, 0, 3)
                        .step(Step.OTHERS, 0, 255)
                        .step(Step.WANT, 0, 14)
                        .step(Step.TIME, 200, 2)
                        .step(Step.PONG)
                        .step(Step.TIME, 200, 2)
                        .step(Step.OTHERS, 3)
                        .step(Step.ERROR, 0, 1)
                        .bytes(),
                // Nothing is left to be lent, until others give it back; what was lent is not used, and the channel
                // lost.
                code(1, 1)
                        .step(Step.OPEN, READ, 0, 0xff)
                        .step(Step.OTHERS, 1, 255)
                        .step(Step.WANT, 0, 14)
                        .step(Step.TIME, 0, 1)
                        .step(Step.OTHERS, 2)
                        .step(Step.PONG)
                        .step(Step.TIME, 0, 1)
                        .step(Step.PONG)
                        .step(Step.TIME, 0, 1)
                        .step(Step.PONG)
                        .step(Step.TIME, 0, 1)
                        .step(Step.END)
                        .bytes(),
                // Nothing is left at all.
                code(3, 5)
                        .step(Step.OTHERS, 0, 255)
                        .step(Step.OPEN, KEEP, 0, 0xff)
                        .step(Step.OPEN, ASK, 0, 0xff)
                        .step(Step.OPEN, BOTH, 0, 0xff)
                        .step(Step.REQUEST, 0, 9)
                        .step(Step.WANT, 0, 18)
                        .step(Step.FIRST, 0, 0x80, 18)
                        .step(Step.NEXT, 0, 255)
                        .step(Step.DATA, 1, 0, 13)
                        .step(Step.EMIT, 0, 9, 255)
                        .step(Step.ERROR, 0, 1)
                        .step(Step.OTHERS, 3)
                        .bytes(),
                // An echo, with credit and without, through a narrow link.
                code(4, 0)
                        .step(Step.OPEN, ECHO, 0, 0x22)
                        .step(Step.ROOM, 1)
                        .step(Step.DATA, 0, 0, 9)
                        .step(Step.DATA, 0, 0, 9)
                        .step(Step.ROOM, 7)
                        .step(Step.DATA, 0, 0, 13)
                        .step(Step.GRANT_ALL)
                        .step(Step.CANCEL)
                        .step(Step.END)
                        .bytes(),
                // Sources: long and short messages, an end that is to be confirmed.
                code(3, 0)
                        .step(Step.OPEN, SEND, 0, 0)
                        .step(Step.OPEN, BOTH, 0, 0xff)
                        .step(Step.EMIT, 0, 2, 3)
                        .step(Step.GRANT_ALL, 0)
                        .step(Step.EMIT, 0, 2, 3)
                        .step(Step.GRANT_ALL, 1)
                        .step(Step.EMIT, 1, 2, 255)
                        .step(Step.TURN, 7)
                        .step(Step.SOURCE_ENDS, 1, 1)
                        .step(Step.TURN)
                        .step(Step.DELIVERED, 1)
                        .step(Step.SOURCE_ENDS, 0, 0)
                        .step(Step.END, 0, 1)
                        .bytes(),
                // Requests: answered at once, later, not at all; given up; one too long for the credit.
                code(8, 0)
                        .step(Step.OPEN, ASK, 0, 0xff)
                        .step(Step.DATA, 0, 0, 5)
                        .step(Step.DATA, 0, 1, 6)
                        .step(Step.DATA, 0, 2, 7)
                        .step(Step.DATA, 0, 3, 3)
                        .step(Step.DATA, 0, 0x40, 3)
                        .step(Step.ABORT, 0, 1)
                        .step(Step.ANSWER, 0, 2, 5)
                        .step(Step.ANSWER, 1, 0, 5)
                        .step(Step.FIRST, 0, 4, 12)
                        .step(Step.NEXT, 0, 255)
                        .step(Step.UNSERVE, 5)
                        .step(Step.END)
                        .step(Step.GRANT_ALL)
                        .bytes(),
                // The program asks, tells, opens and streams, and the peer answers.
                code(0, 0)
                        .step(Step.ASK, 5, 4)
                        .step(Step.TELL, 5, 4)
                        .step(Step.ACCEPT, 0, 31, 255)
                        .step(Step.ANSWER_ITS, 0, 0, 4)
                        .step(Step.ASK, 5, 255)
                        .step(Step.ASK, 5, 3)
                        .step(Step.DROP, 3)
                        .step(Step.ANSWER_ITS, 0, 0x40, 4)
                        .step(Step.ANSWER_ITS, 0, 0xc0, 4)
                        .step(Step.CHANNEL, 1, 7)
                        .step(Step.ACCEPT, 1, 31, 255)
                        .step(Step.DATA, 1, 0, 5)
                        .step(Step.REQUEST, 0, 3)
                        .step(Step.EMIT, 0, 3, 4)
                        .step(Step.STREAM, 2, 30, 4)
                        .step(Step.ACCEPT, 2, 31, 255)
                        .step(Step.DATA, 2, 0, 5)
                        .step(Step.END, 2)
                        .step(Step.STREAM, 2, 31, 4)
                        .step(Step.ERROR, 3, 3)
                        .step(Step.CHANNEL, 3, 1)
                        .step(Step.DROP, 8)
                        .step(Step.ACCEPT, 3, 1, 1)
                        .step(Step.CLOSE, 0)
                        .bytes(),
                // The mailbox, and channels that wait to be taken.
                code(16, 0)
                        .step(Step.OPEN, BOX, 0, 0xff)
                        .step(Step.OPEN, BOX, 3, 0xff)
                        .step(Step.DATA, 0, 0, 5)
                        .step(Step.DATA, 1, 1, 4)
                        .step(Step.BOX, 0, 0, 3)
                        .step(Step.BOX, 0, 1, 3)
                        .step(Step.BOX, 1, 0, 0)
                        .step(Step.BOX, 1, 0, 2)
                        .step(Step.BOX, 3, 0, 1)
                        .step(Step.DATA, 0, 2, 3)
                        .step(Step.BOX, 2, 0)
                        .step(Step.BOX, 3, 7)
                        .step(Step.OPEN, TAKE, 0, 0xff)
                        .step(Step.DATA, 2, 0, 4)
                        .step(Step.TAKE, 0, 2)
                        .step(Step.REQUEST, 0, 3)
                        .bytes(),
                // Refusals, leaving, losses.
                code(25, 3)
                        .step(Step.OPEN, 8, 0, 0)
                        .step(Step.OPEN, 9, 0, 0)
                        .step(Step.OPEN, 10, 0, 0)
                        .step(Step.OPEN, READ, 3, 0)
                        .step(Step.OPEN, READ, 0, 0)
                        .step(Step.PING, 3, 1)
                        .step(Step.ASK, 0, 0)
                        .step(Step.LEAVE, 1)
                        .step(Step.OPEN, READ, 0, 0)
                        .step(Step.LEAVE, 0)
                        .step(Step.TIME, 100, 0)
                        .step(Step.GOODBYE)
                        .bytes(),
                // Found: for WANT before ACCEPT credit was granted at once, and once more with ACCEPT.
                code(0, 0)
                        .step(Step.OPEN, TAKE, 0, 0xff)
                        .step(Step.RAW, FrameKind.WANT.ordinal(), 0x20, 14, 0, 0)
                        .step(Step.TAKE, 0, 2)
                        .bytes(),
                // Found: after WANT of too much before ACCEPT, who opened the channel waited on.
                code(6, 0)
                        .step(Step.CHANNEL, READ, 1)
                        .step(Step.WANT, 0, 18)
                        .step(Step.DROP)
                        .step(Step.END)
                        .bytes(),
                // A goodbye waits for room on the link.
                code(50, 0).step(Step.ROOM, 0).step(Step.LEAVE).bytes(),
                // Found: then a node that was killed left the link open.
                code(6, 0).step(Step.ROOM, 0).step(Step.LEAVE).bytes(),
                // It breaks the rules.
                code(0, 0)
                        .step(Step.OPEN, READ, 0, 0xff)
                        .step(Step.RAW, FrameKind.DATA.ordinal(), 0x20, 0, 0, 0x50)
                        .step(Step.RAW, FrameKind.CREDIT.ordinal(), 0x20, 2, 2, 0)
                        .step(Step.RAW, FrameKind.WANT.ordinal(), 0x20, 10, 0, 0)
                        .step(Step.RAW, FrameKind.FIRST.ordinal(), 0x20, 27, 0, 0x50)
                        .bytes(),
                code(56, 0)
                        .step(Step.OPEN, ASK, 0, 0xff)
                        .step(Step.RAW, FrameKind.DATA.ordinal(), 0x60, 0, 3, 0x51)
                        .bytes(),
                breach(FrameKind.NEXT, 0x20, 0, 0, 0x50),
                breach(FrameKind.OPEN, 0x08, 0, 0, 0x50),
                breach(FrameKind.OPEN, 0x18, 6, 0, 0x50),
                breach(FrameKind.CREDIT, 0x20, 26, 0, 0),
                breach(FrameKind.WANT, 0x20, 29, 0, 0),
                breach(FrameKind.ACCEPT, 0x20, 1, 1, 0),
                breach(FrameKind.DATA, 0x60, 0, 0, 0x50),
                breach(FrameKind.MOVE, 0, 1, 1, 0),
                breach(FrameKind.ABORT, 0x18, 20, 1, 0),
                code(0, 0).step(Step.OPEN, ECHO, 0, 0xff).step(Step.LOSE).bytes());
    }

    private static byte[] breach(FrameKind kind, int channel, int first, int second, int rest) {
        return code(0, 0)
                .step(Step.OPEN, READ, 0, 0xff)
                .step(Step.RAW, kind.ordinal(), channel, first, second, rest)
                .step(Step.END)
                .bytes();
    }

    private static Code code(int first, int second) {
        return new Code(first, second);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void nobodyIsHarmed(byte[] input) {
        if (input.length > SessionProgram.PREFIX) {
            new SessionProgram(input).run();
        }
    }

    /** A program for a seed. */
    private static final class Code {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Code(int first, int second) {
            bytes.write(first);
            bytes.write(second);
        }

        Code step(Step step, int... arguments) {
            bytes.write(step.ordinal());
            for (int i = 0; i < Math.max(3, arguments.length); i++) {
                bytes.write(i < arguments.length ? arguments[i] : 0);
            }
            return this;
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }
    }
}
