package io.weir.samples.demo;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Message;
import io.weir.core.WeirException;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Subscription;
import picocli.CommandLine;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * The processes of {@link GatewayDemo}: a server that makes pieces when it is asked for them, a client that stops in
 * the middle, and the gateway between them. Neither of both ends knows of it: the client's configuration names it.
 */
public final class BehindGateway {

    private static final Codec<String> TEXT = Codecs.text();
    private static final int PIECE = 64 << 10;
    private static final int PIECES = 1_000;
    private static final int UNTIL_STALLED = 50;

    private BehindGateway() {}

    /**
     * Runs one of them.
     *
     * @param arguments server and where it listens, or client, or gateway and its options
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments[0].equals("gateway")) {
            String[] options = Arrays.copyOfRange(arguments, 1, arguments.length);
            System.exit(new CommandLine(new GatewayCommand()).execute(options));
        }
        NodeSpec.Builder spec = NodeSpec.fromSystem().toBuilder().name(arguments[0]);
        if (!arguments[0].equals("client")) {
            Serving.until(spec.listen(arguments[1]).build(), BehindGateway::serve);
        }
        try {
            System.exit(receive(Node.start(spec.build()).blockOptional().orElseThrow()) ? 0 : 1);
        } catch (WeirException e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void serve(Node node) {
        AtomicInteger made = new AtomicInteger();
        MessageDigest digest = SlowDigest.sha256();
        node.serve(
                "pieces",
                channel -> channel.send(Flux.range(0, PIECES).map(number -> {
                    byte[] piece = new byte[PIECE];
                    Arrays.fill(piece, (byte) (int) number);
                    digest.update(piece);
                    made.incrementAndGet();
                    return Message.of(piece);
                })));
        node.answer("made", TEXT, TEXT, question -> Mono.just(made.toString()));
        node.answer(
                "digest",
                TEXT,
                TEXT,
                question -> Mono.fromSupplier(() -> HexFormat.of().formatHex(digest.digest())));
    }

    private static boolean receive(Node node) throws InterruptedException {
        Peer server = node.peer("server").blockOptional().orElseThrow();
        System.out.println(server.path().line());
        Channel channel = server.channel("pieces").blockOptional().orElseThrow();
        Stalling reader = new Stalling();
        channel.receive(0).subscribe(reader);
        reader.stalled.await();
        System.out.println("has read " + UNTIL_STALLED + " pieces of " + PIECES + ", and stops; the server has made "
                + standingStill(server) + ", and makes no more");
        reader.request(PIECES);
        reader.over.await();
        String here = HexFormat.of().formatHex(reader.digest.digest());
        String there = ask(server, "digest");
        System.out.println("has read on: " + reader.count + " pieces; SHA-256 " + here
                + (here.equals(there) ? ", as the server has it" : ", and the server has " + there));
        node.close().block();
        return here.equals(there);
    }

    /** How many pieces the server has made, when it has made no more for a while. */
    private static String standingStill(Peer server) {
        String before = "";
        String now = ask(server, "made");
        for (int same = 0; same < 5; same = now.equals(before) ? same + 1 : 0) {
            System.out.println("the server has made " + now + " pieces");
            var unused = Mono.delay(Duration.ofMillis(200)).block();
            before = now;
            now = ask(server, "made");
        }
        return now;
    }

    private static String ask(Peer server, String port) {
        return server.ask(port, "", TEXT, TEXT).blockOptional().orElseThrow();
    }

    /** Takes some pieces, then nothing until it is told to go on. */
    private static final class Stalling extends BaseSubscriber<Message> {

        final CountDownLatch stalled = new CountDownLatch(UNTIL_STALLED);
        final CountDownLatch over = new CountDownLatch(1);
        final MessageDigest digest = SlowDigest.sha256();
        int count;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            request(UNTIL_STALLED);
        }

        @Override
        protected void hookOnNext(Message piece) {
            ByteBuf payload = piece.payload();
            digest.update(payload.nioBuffer());
            piece.release();
            count++;
            stalled.countDown();
        }

        @Override
        protected void hookFinally(SignalType how) {
            over.countDown();
        }
    }
}
