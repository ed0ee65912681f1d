package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.weir.core.Availability;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All that {@link Transport} promises, and that its links keep the contract of links. Name the path in {@link #fixture}
 * and that is all.
 */
public interface TransportContract extends LinkContract {

    /** The path under test. */
    TransportFixture fixture();

    @Override
    default LinkPair open() throws Exception {
        return fixture().open();
    }

    @Test
    default void saysWhetherItIsAvailableInAnyCase(@TempDir Path folder) {
        Transport transport = fixture().transport();
        for (boolean nativeAllowed : new boolean[] {true, false}) {
            TransportSettings own = fixture().settings(folder);
            var settings = new TransportSettings(folder, nativeAllowed, own.options(), own.tls());
            Availability availability = transport.availability(settings);
            if (availability instanceof Availability.Missing missing) {
                assertThat(missing.reason()).hasSizeGreaterThan(15).contains(" ");
            } else {
                assertThat(((Availability.Ready) availability).card()).hasSizeLessThanOrEqualTo(1024);
            }
        }
        assertThat(transport.name()).matches("[a-z0-9]+");
        assertThat(transport.options()).allSatisfy(option -> assertThat(option).matches("[a-z0-9][a-z0-9.-]*"));
    }

    /** A card is what a peer tells: anything. */
    @Test
    default void looksAtAnyCardWithoutHarm() throws Exception {
        SplittableRandom random = Seed.random("cards");
        try (NodePair nodes = fixture().nodes(false)) {
            PeerCard honest = nodes.accepting.card();
            for (int round = 0; round < 200; round++) {
                Map<String, String> ready = new HashMap<>(honest.ready());
                if (random.nextInt(5) == 0) {
                    ready.clear();
                } else {
                    ready.replaceAll((name, card) -> mangled(card, random));
                }
                PeerCard hostile = new PeerCard(
                        honest.id(),
                        random.nextBoolean() ? honest.bootId() : mangled(honest.bootId(), random),
                        random.nextBoolean() ? honest.uid() : random.nextLong(),
                        random.nextBoolean() ? honest.process() : mangled(honest.process(), random),
                        honest.host(),
                        random.nextLong(),
                        ready,
                        Map.of());
                assertThatCode(() -> {
                            String reason = nodes.transport.reaches(nodes.connecting.card(), hostile);
                            assertThat(reason == null || !reason.isBlank()).isTrue();
                        })
                        .as("a look at %s", hostile)
                        .doesNotThrowAnyException();
            }
        }
    }

    private static String mangled(String text, SplittableRandom random) {
        char[] letters = Arrays.copyOf(text.toCharArray(), random.nextInt(1 + Math.max(text.length(), 40)));
        for (int i = random.nextInt(4); i > 0 && letters.length > 0; i--) {
            letters[random.nextInt(letters.length)] = (char) random.nextInt(0xffff);
        }
        return new String(letters);
    }

    @Test
    default void offersAreShortAndStayTheSame() throws Exception {
        try (NodePair nodes = fixture().nodes(false)) {
            for (NodePair.Node node : List.of(nodes.connecting, nodes.accepting)) {
                PendingLink half = nodes.prepare(node);
                byte[] offer = node.call(half::offer);
                assertThat(offer).hasSizeLessThanOrEqualTo(4096);
                assertThat(node.<byte[]>call(half::offer)).isEqualTo(offer);
                close(node, half);
                close(node, half);
            }
        }
    }

    private static void close(NodePair.Node node, PendingLink half) {
        var unused = node.call(() -> {
            half.close();
            return true;
        });
    }

    @Test
    default void halvesThatComeToNothingLeaveNothing() throws Exception {
        for (int round = 0; round < 6; round++) {
            try (NodePair nodes = fixture().nodes(false)) {
                PendingLink first = nodes.prepare(nodes.connecting);
                PendingLink second = nodes.prepare(nodes.accepting);
                byte[] theirs = nodes.accepting.call(second::offer);
                switch (round % 3) {
                    case 0 -> close(nodes.accepting, second); // the other side declines before we go on
                    case 1 -> closeAtOnce(nodes, first, theirs);
                    default -> { // nobody goes on
                    }
                }
                if (round % 3 != 1) {
                    ending(nodes, first, nodes.complete(nodes.connecting, first, theirs));
                }
                close(nodes.connecting, first);
                close(nodes.accepting, second);
            }
        }
    }

    /** Closes a half while it is being joined: either there is no link, or one that was made before. */
    private static void closeAtOnce(NodePair nodes, PendingLink half, byte[] theirs) {
        CompletableFuture<Link> link = new CompletableFuture<>();
        var unused = nodes.connecting.call(() -> {
            var joining = half.complete(theirs).subscribe(link::complete, link::completeExceptionally);
            half.close();
            return joining.isDisposed();
        });
        ending(nodes, half, link);
    }

    /** Takes any end but a hang that not even a close ends, or an exception that is none of ours. */
    private static void ending(NodePair nodes, PendingLink half, CompletableFuture<Link> joined) {
        if (!Await.within(Duration.ofMillis(300), joined::isDone)) {
            close(nodes.connecting, half);
            return;
        }
        try {
            Link link = joined.get();
            End.runUnlessEnded(nodes.connecting.loop(), link::close);
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(WeirException.class);
            assertThat(e.getMessage()).as("what has failed").hasSizeGreaterThan(15);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    default void forgedOffersDoNoHarm() throws Exception {
        SplittableRandom random = Seed.random("offers");
        try (NodePair nodes = fixture().nodes(false)) {
            for (int round = 0; round < 24; round++) {
                PendingLink first = nodes.prepare(nodes.connecting);
                PendingLink second = nodes.prepare(nodes.accepting);
                byte[] forged = forge(nodes.accepting.call(second::offer), nodes.connecting.call(first::offer), random);
                ending(nodes, first, nodes.complete(nodes.connecting, first, forged));
                close(nodes.connecting, first);
                close(nodes.accepting, second);
            }
        }
    }

    private static byte[] forge(byte[] theirs, byte[] ours, SplittableRandom random) {
        byte[] forged = Arrays.copyOf(theirs, theirs.length);
        switch (random.nextInt(7)) {
            case 0 -> forged = new byte[0];
            case 1 -> forged = Arrays.copyOf(theirs, random.nextInt(theirs.length + 1));
            case 2 -> forged = Arrays.copyOf(theirs, 4096);
            case 3 -> forged = ours;
            case 4 -> random.nextBytes(forged);
            case 5 -> Arrays.fill(forged, (byte) 0xff);
            default -> {
                for (int i = 0; i < forged.length && i < 3; i++) {
                    forged[random.nextInt(forged.length)] ^= (byte) (1 << random.nextInt(8));
                }
            }
        }
        return forged;
    }

    /** As two nodes do it: offers and the news that both are open travel over the bootstrap connection itself. */
    @Test
    default void agreesOverTheBootstrapConnection() throws Exception {
        try (NodePair nodes = fixture().nodes(false)) {
            Agreement first = new Agreement(nodes, nodes.connecting);
            Agreement second = new Agreement(nodes, nodes.accepting);
            first.begin();
            second.begin();
            try (LinkPair pair = new LinkPair(
                    first.open(), nodes.connecting.loop(), second.open(), nodes.accepting.loop(), () -> {})) {
                FrameStream stream = FrameStream.mixed("agreed", pair.maxFrame());
                pair.first.expect(stream);
                pair.second.expect(stream);
                pair.first.sendAll(stream, 500);
                pair.second.sendAll(stream, 500);
                pair.first.awaitReceived(500);
                pair.second.awaitReceived(500);
            }
        }
    }

    /** A node may be connected to itself: both ends on one loop. */
    @Test
    default void bothEndsMayLiveOnOneLoop() throws Exception {
        try (LinkPair pair = fixture().nodes(true).link()) {
            FrameStream stream = FrameStream.mixed("narcissus", pair.maxFrame());
            pair.first.expect(stream);
            pair.second.expect(stream);
            long count = stream.count(16 << 20, 300, 5_000);
            pair.first.sendAll(stream, count);
            pair.second.sendAll(stream, count);
            pair.first.awaitReceived(count);
            pair.second.awaitReceived(count);
        }
    }

    @Test
    default void manyLinksOfManyPairsDoNotDisturbEachOther() throws Exception {
        try (LinkPair one = open();
                LinkPair two = open();
                LinkPair three = open()) {
            List<LinkPair> pairs = List.of(one, two, three);
            for (LinkPair pair : pairs) {
                FrameStream stream =
                        FrameStream.mixed("of pair " + pairs.indexOf(pair), Math.min(pair.maxFrame(), 5_000));
                pair.second.expect(stream);
                pair.first.sendAll(stream, 2_000);
            }
            for (LinkPair pair : pairs) {
                pair.second.awaitReceived(2_000);
            }
        }
    }

    @Test
    default void theEndOfALoopEndsItsLinks() throws Exception {
        try (LinkPair pair = open()) {
            pair.first.receive(frame -> {});
            pair.second.receive(frame -> {});
            pair.first.send(new Frame().set(FrameKind.DATA, 0, 1, 0));
            pair.second.awaitReceived(1);
            Await.end(pair.first.loop.close());
            assertThat(pair.second.awaitLost()).isNotNull();
        }
    }
}
