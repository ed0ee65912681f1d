package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TcpWire;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many sessions, and such as do almost nothing. */
@Tag("one-jdk")
class SessionsTest {

    private static final int SESSIONS = 1000 * Attacker.EFFORT;
    private static final int CHANNELS = 16;
    private static final long MUCH = 1L << 40;
    private static final byte[] NOTHING = {};

    @EachSize
    void aThousandSessionsOfOneAttacker(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(4, number -> {
                while (attacker.goesOn() && attacker.done() < SESSIONS) {
                    Session session = attacker.session();
                    for (int channel = 0; channel < CHANNELS; channel++) {
                        session.open(channel % 2 == 0 ? "still" : "box", 0, 1, 1);
                    }
                    attacker.did();
                }
                attacker.lurk();
            });
        });
    }

    @EachSize
    void halfOfAFrame(Size size) throws Exception {
        Attack.on(size, attacker -> {
            byte[] half = Frame.header(65_536, Kind.DATA, 0, 16_384, 1, 0);
            while (attacker.goesOn()) {
                attacker.once(8, Frame.open(1, "sink", 0, 0, 0).bytes(), half);
            }
        });
    }

    @EachSize
    void headersThatContradictThemselves(Size size) throws Exception {
        Attack.on(size, attacker -> {
            byte[][] headers = {
                Frame.header(-1, Kind.DATA, 0, 0, 1, 0),
                Frame.header(Integer.MAX_VALUE, Kind.DATA, 0, 0, 1, 0),
                Frame.header(65_537, Kind.DATA, 0, 0, 1, 0),
                Frame.header(10, Kind.DATA, 0, 11, 1, 0),
                Frame.header(0, 0, 32, 0, 1, 0),
                Frame.header(65_536, 255, 255, 65_535, -1, -1),
            };
            while (attacker.goesOn()) {
                for (byte[] header : headers) {
                    attacker.once(2, Frame.open(1, "sink", 0, 0, 0).bytes(), header);
                }
            }
        });
    }

    @EachSize
    void bytesThatComeOneByOne(Size size) throws Exception {
        Attack.on(size, attacker -> {
            byte[] hello = Frame.of(Kind.HELLO, 0, 0, 0)
                    .with(Identity.fresh().hello(""))
                    .bytes();
            attacker.attack(2, number -> {
                TcpWire[] wires = new TcpWire[100];
                for (int wire = 0; wire < wires.length; wire++) {
                    wires[wire] = attacker.wire(attacker.target().open());
                }
                // All but the last byte, so that nothing ever comes of it.
                for (int at = 0; at < hello.length - 1 && attacker.goesOn(); at++) {
                    for (TcpWire wire : wires) {
                        wire.raw(new byte[] {hello[at]});
                        attacker.did();
                    }
                }
                attacker.lurk();
            });
        });
    }

    /** The node waits for few of those that have said goodbye and keep their sockets open. */
    @Test
    void sessionsThatEndAndKeepTheirSockets() throws Exception {
        Attack.on(Size.ROOMY, attacker -> {
            // However long it takes: with fewer, all of them might be waited for.
            while (attacker.done() < 300) {
                attacker.session().send(Frame.of(Kind.GOODBYE, 0, 0, 0));
                attacker.did();
            }
            Target target = attacker.target();
            long more = target.memory().get("descriptors") - target.start().get("descriptors");
            assertThat(more).as("of %d", attacker.done()).isLessThan(Math.max(150, attacker.done() / 2));
        });
    }

    @EachSize
    void channelsThatAreOpenedAndEnded(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(2, number -> {
                Session session = attacker.session().read();
                String[] ports = {"nobody serves this", "echo", "never", "answers"};
                for (int each = 0; attacker.goesOn(); each++) {
                    Channel channel = session.open(ports[each % ports.length], 0, 1, 1);
                    session.send(Frame.of(Kind.ERROR, 0, channel.number(), 1).with(new byte[4096]));
                    attacker.did();
                }
            });
        });
    }

    @EachSize
    void refusedChannelsThatAreNotEnded(Size size) throws Exception {
        Attack.on(size, attacker -> {
            // Too many of them end the session.
            attacker.attackAgain(2, number -> {
                try (Session session = attacker.session()) {
                    while (attacker.goesOn() && session.ending().isEmpty()) {
                        session.open("nobody serves this", 0, 0, 0);
                        attacker.did();
                    }
                }
            });
        });
    }

    @EachSize
    void emptyMessages(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(3, number -> {
                Session session = attacker.session().read();
                String[] ports = {"sink", "answers", "box-read"};
                Channel channel = session.open(ports[number], number == 1 ? Flag.REQUESTS : 0, 0, 0);
                while (attacker.goesOn() && channel.awaitCredit(0)) {
                    // As much as there is credit for, at once.
                    Frame[] frames = new Frame[(int) Math.min(1000, channel.items())];
                    Arrays.fill(frames, Frame.data(channel.number(), NOTHING));
                    channel.send(frames);
                    attacker.did();
                }
            });
        });
    }

    @EachSize
    void channelsThatAreEndedAsSoonAsTheyAreOpened(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(8, number -> {
                Session session = attacker.session().read();
                for (int next = 1; attacker.goesOn(); ) {
                    Frame[] frames = new Frame[1_000];
                    for (int frame = 0; frame < frames.length; frame += 2) {
                        frames[frame] = Frame.open(next, "still", 0, 1, 1);
                        frames[frame + 1] = Frame.of(Kind.ERROR, 0, next, 1);
                        next += 2;
                    }
                    session.send(frames);
                    attacker.did();
                }
            });
        });
    }

    @EachSize
    void manyStreamsOfShortMessagesThatAreNotRead(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(4, number -> {
                Session session = attacker.session();
                for (int channel = 0; channel < 100; channel++) {
                    session.open("ticks", 0, MUCH, MUCH);
                    attacker.did();
                }
                attacker.lurk();
            });
        });
    }

    @EachSize
    void shortFramesFromManyConnections(Size size) throws Exception {
        Attack.on(size, attacker -> {
            Frame[] frames = new Frame[2_000];
            Arrays.fill(frames, Frame.credit(1, 1, 0));
            byte[] many = Frame.join(frames);
            attacker.flood(32, false, Frame.open(1, "still", 0, 0, 0).bytes(), many);
        });
    }
}
