package io.weir.hostile;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Session;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets whose program does not read. */
@Tag("one-jdk")
class SocketsTest {

    private static final int SOCKETS = 40;
    private static final int LONGEST = 64 << 10;

    @EachSize
    void longPieces(Size size) throws Exception {
        fill(size, LONGEST);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 17_000})
    void shortPieces(int length) throws Exception {
        fill(Size.TIGHT, length);
    }

    /** Each socket until there is no credit at once; then the next one, and again. */
    private static void fill(Size size, int length) throws Exception {
        Attack.on(
                size,
                attacker -> attacker.attack(2, number -> {
                    Session session = attacker.session().read();
                    String port = "weir.socket." + attacker.target().open().getPort();
                    Frame[] pieces = new Frame[SOCKETS];
                    List<Channel> sockets = new ArrayList<>();
                    for (int each = 0; each < SOCKETS && attacker.goesOn(); each++) {
                        Channel socket = session.open(port, 0, 0, 0);
                        if (socket.awaitAccept()) {
                            pieces[sockets.size()] = Frame.data(socket.number(), new byte[length]);
                            sockets.add(socket);
                        }
                    }
                    while (attacker.goesOn()) {
                        for (int each = 0; each < sockets.size(); each++) {
                            Channel socket = sockets.get(each);
                            while (socket.affords(length) && attacker.goesOn()) {
                                socket.send(pieces[each]);
                                attacker.did();
                            }
                            session.send(Frame.want(socket.number(), length));
                        }
                        Thread.sleep(1);
                    }
                }));
    }
}
