package io.weir.path;

import static io.weir.fuzz.Hostile.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Ends;
import io.weir.core.ForeignText;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.fuzz.Hostile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The first that a stranger says, before anything is known of him: it is refused with a text that is fit for a log, or
 * says who he is and what he has dialled, in texts that are fit for one; and what was read says the same when it is
 * written again.
 */
class HelloFuzzTest {

    /** A HELLO is short: whatever it says, no more than this is taken for it, the stack of an error included. */
    private static final long MOST = 128 << 10;

    private static final String BOOT = "0f0e0d0c-boot";
    private static final List<PeerAddress> LISTENING = List.of(
            new PeerAddress("0.0.0.0", 7000), new PeerAddress("10.1.2.3", 7001), new PeerAddress("/run/weir", -1));
    private static final List<PeerAddress> ADVERTISED = List.of(new PeerAddress("ledger.example", 7000));

    static Stream<byte[]> seeds() throws Exception {
        PeerId id = new PeerId(new UUID(1, 2), "Caf\u00e9", 1_700_000_000_000L);
        PeerId odd = new PeerId(new UUID(-1, 2), "\u202e\u001b[2J \ud83c\udf0a", -1);
        byte[] key = new byte[Noise.KEY];
        Arrays.fill(key, (byte) 0xa5);
        Dialled dialled = new Dialled("tcp://ledger.example:7000", "tcp://10.1.2.3:7000", BOOT);
        Dialled path = new Dialled("unix:/run/weir", "", BOOT);
        byte[] plain = hello(id, key, false, false, dialled);
        byte[] without = Arrays.copyOf(plain, 16 + 24 + 2 + 5);
        byte[] half = Arrays.copyOf(plain, without.length + Noise.KEY / 2);
        byte[] former = plain.clone();
        former[4] = 1;
        byte[] later = plain.clone();
        later[4] = 3;
        byte[] noText = plain.clone();
        noText[16 + 24 + 2] = (byte) 0xff;
        byte[] tooLong = plain.clone();
        tooLong[16 + 24 + 1] = 1;
        return Stream.of(
                plain,
                hello(odd, key, true, true, path),
                hello(id, key, true, false, Dialled.NOTHING),
                hello(id, key, true, false, new Dialled("tcp://[::1]:7000", "tcp://[::1]:7000", BOOT)),
                hello(id, key, true, false, new Dialled("tcp://10.1.2.3:7000", "", "")),
                without,
                half,
                former,
                later,
                noText,
                tooLong,
                Arrays.copyOf(plain, 30),
                new byte[] {'W', 'E', 'I', 'S'});
    }

    private static byte[] hello(PeerId id, byte[] key, boolean secret, boolean rejoins, Dialled dialled) {
        return ByteBufUtil.getBytes(HandshakeCodec.hello(id, key, secret, rejoins, dialled));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatAStrangerSaysIsRefusedOrFitForALog(byte[] input) throws Exception {
        HandshakeCodec.Hello hello;
        try {
            hello = Hostile.within(MOST, () -> HandshakeCodec.readHello(Unpooled.wrappedBuffer(input)));
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            return;
        }
        check(hello.major() == HandshakeCodec.MAJOR, hello);
        check(hello.key().length == Noise.KEY, hello);
        Dialled dialled = hello.dialled();
        for (String each : List.of(hello.id().name(), dialled.address(), dialled.reached(), dialled.host())) {
            check(each.equals(ForeignText.harmless(each)), each);
        }
        leads(dialled);
        again(hello);
    }

    /** Whatever was dialled, the question whether it leads here has an answer. */
    private static void leads(Dialled dialled) throws Exception {
        InetSocketAddress near = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 1, 2, 3}), 7000);
        boolean direct = dialled.leadsTo(new Ends(near, near, -1), LISTENING, ADVERTISED, BOOT);
        check(direct || !dialled.reached().equals("tcp://10.1.2.3:7000"), dialled);
        boolean local = dialled.leadsTo(new Ends(null, null, 1000), LISTENING, ADVERTISED, BOOT);
        check(!local || !dialled.address().isEmpty(), dialled);
        boolean through = dialled.leadsTo(Ends.UNKNOWN, LISTENING, ADVERTISED, BOOT);
        check(!through || !dialled.address().isEmpty(), dialled);
    }

    private static void again(HandshakeCodec.Hello hello) {
        Dialled dialled = hello.dialled();
        // Bytes that were no text have become longer.
        if (bytes(hello.id().name()) > PeerId.MAX_NAME
                || bytes(dialled.address()) > 512
                || bytes(dialled.reached()) > 512
                || bytes(dialled.host()) > 128) {
            return;
        }
        HandshakeCodec.Hello again = HandshakeCodec.readHello(
                HandshakeCodec.hello(hello.id(), hello.key(), hello.hasSecret(), hello.rejoins(), hello.dialled()));
        check(again.id().equals(hello.id()) && again.dialled().equals(dialled), again);
        check(Arrays.equals(again.key(), hello.key()), again);
        check(again.rejoins() == hello.rejoins() && again.hasSecret() == hello.hasSecret(), again);
    }

    private static int bytes(String text) {
        return text.getBytes(UTF_8).length;
    }
}
