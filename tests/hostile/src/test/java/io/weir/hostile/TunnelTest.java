package io.weir.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TunnelWire;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;

/** Sessions within sessions, as a gateway brings them. */
@Tag("one-jdk")
class TunnelTest {

    private static final int DEPTH = 30;

    /** What {@code docs/security.md} permits. */
    private static final int PERMITTED = 2;

    private static final int TUNNELS = 500;

    @EachSize
    void tunnelsInTunnels(Size size) throws Exception {
        Attack.on(size, attacker -> {
            AtomicInteger deepest = new AtomicInteger();
            attacker.attack(2, number -> {
                while (attacker.goesOn()) {
                    Session outer = null;
                    try {
                        outer = attacker.session();
                        Session session = outer;
                        for (int depth = 1; depth <= DEPTH && attacker.goesOn(); depth++) {
                            session = Session.over(new TunnelWire(session), Identity.fresh());
                            deepest.accumulateAndGet(depth, Math::max);
                            attacker.did();
                        }
                        session.open("echo", 0, 1, 1);
                    } catch (IOException refused) {
                        // One that is too deep, or while those that have just ended count still.
                    } finally {
                        if (outer != null) {
                            outer.close();
                        }
                    }
                }
            });
            assertThat(deepest).as("tunnels in each other; %s", attacker.cuts()).hasValueBetween(1, PERMITTED);
        });
    }

    @EachSize
    void manyTunnelsWithHalfAHandshake(Size size) throws Exception {
        Attack.on(size, attacker -> {
            attacker.attack(2, number -> {
                Session session = attacker.session().read();
                Frame hello =
                        Frame.of(Kind.HELLO, 0, 0, 0).with(Identity.fresh().hello(""));
                for (int each = 0; each < TUNNELS && attacker.goesOn(); each++) {
                    Channel channel = session.open("weir.tunnel", 0, 1000, 1 << 20);
                    if (channel.awaitAccept()) {
                        channel.send(Frame.data(channel.number(), new byte[0]));
                        channel.send(Frame.data(channel.number(), hello.unpadded()));
                        attacker.did();
                    }
                }
                attacker.lurk();
            });
        });
    }
}
