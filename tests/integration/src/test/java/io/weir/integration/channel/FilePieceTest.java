package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Channel;
import io.weir.core.FilePiece;
import io.weir.core.FileSource;
import io.weir.core.Message;
import io.weir.core.RemoteFailure;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/**
 * Messages that are pieces of files: sent from the kernel's memory where the path can, else read into the path's
 * memory.
 */
class FilePieceTest implements OnRoute {

    /** One that goes in one frame over every path, and one that is cut over tcp. */
    private static final int[] LENGTHS = {50_000, 200_000};

    @TempDir
    private Path folder;

    private byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    private FileSource file(byte[] content) throws IOException {
        return FileSource.open(Files.write(folder.resolve("file"), content));
    }

    private static Message piece(FileSource file, long position, int length) {
        try {
            return Message.of(file.piece(position, length)).with("at", Long.toString(position));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What this half sends, as the other one receives it: place and bytes. */
    private static List<byte[]> received(Channel channel) {
        List<byte[]> all = new CopyOnWriteArrayList<>();
        var unused = channel.receive().subscribe(message -> {
            all.add(message.bytes());
            message.release();
        });
        return all;
    }

    @ParameterizedTest
    @EnumSource
    void arrivesWholeAndInOrder(Route route) throws Exception {
        byte[] content = content(4_000_000);
        Nodes nodes = new Nodes(route);
        try (FileSource file = file(content)) {
            Pair pair = nodes.pair();
            for (int length : LENGTHS) {
                Pair.Ends ends = pair.open("pieces");
                List<byte[]> received = received(ends.far());
                int count = content.length / length;
                ends.near()
                        .sendDelivered(Flux.range(0, count)
                                .map(i -> i % 3 == 2 ? Message.of("between") : piece(file, (long) i * length, length)))
                        .block(Patience.LIMIT);
                for (int i = 0; i < count; i++) {
                    byte[] expected = i % 3 == 2
                            ? "between".getBytes(java.nio.charset.StandardCharsets.UTF_8)
                            : Arrays.copyOfRange(content, i * length, (i + 1) * length);
                    assertThat(received.get(i)).isEqualTo(expected);
                }
            }
        } finally {
            nodes.close();
        }
    }

    /**
     * Over tcp the kernel sends it, and it is never in our memory; over shm it is read once, into what the receiver has
     * mapped.
     */
    @ParameterizedTest
    @EnumSource(names = {"TCP", "NIO", "SHM"})
    @EnabledOnOs(OS.LINUX)
    void isCopiedNoMoreThanItsPathNeeds(Route route) throws Exception {
        byte[] content = content(100_000);
        Nodes nodes = new Nodes(route);
        try (FileSource file = file(content)) {
            Pair.Ends ends = nodes.pair().open("pieces");
            List<String> mappings = new CopyOnWriteArrayList<>();
            var unused = ends.far().receive().subscribe(message -> {
                mappings.add(mapping(message.payload().memoryAddress()));
                message.release();
            });
            FilePiece piece = file.piece(10_000, LENGTHS[0]).retain();
            ends.near().sendDelivered(Flux.just(Message.of(piece))).block(Patience.LIMIT);

            assertThat(piece.transferred()).isEqualTo(route == Route.SHM ? 0 : LENGTHS[0]);
            assertThat(mappings).singleElement().matches(mapping -> mapping.contains("weir") == (route == Route.SHM));
            piece.release();
        } finally {
            nodes.close();
        }
    }

    /** What the kernel has mapped there. */
    private static String mapping(long address) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                String[] range = line.substring(0, line.indexOf(' ')).split("-", -1);
                if (Long.compareUnsigned(address, Long.parseUnsignedLong(range[0], 16)) >= 0
                        && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0) {
                    return line;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError(Long.toHexString(address) + " is not mapped");
    }

    /** It was read into memory for shared memory, or kept by tcp until it has arrived. */
    @Test
    void outlivesThePathsThatItGoesOver(Nodes nodes) throws Exception {
        byte[] content = content(20_000_000);
        try (FileSource file = file(content)) {
            Pair pair = nodes.connect(
                    nodes.start(Route.any("near")
                            .order("shm", "tcp")
                            .repathProbation(Duration.ofMillis(10))
                            .build()),
                    nodes.start(Route.any("far")
                            .order("shm", "tcp")
                            .repathProbation(Duration.ofMillis(10))
                            .build()));
            Pair.Ends ends = pair.open("pieces");
            List<byte[]> received = received(ends.far());
            int length = 100_000;
            Flux<Message> pieces = Flux.range(0, content.length / length).map(i -> {
                if (i % 20 == 10) {
                    var unused = pair.peer().cut().onErrorComplete().subscribe();
                }
                return piece(file, (long) i * length, length);
            });
            ends.near().sendDelivered(pieces).block(Patience.LIMIT);
            for (int i = 0; i < content.length / length; i++) {
                assertThat(received.get(i)).isEqualTo(Arrays.copyOfRange(content, i * length, (i + 1) * length));
            }
            assertThat(pair.peer().pathHistory()).hasSizeGreaterThan(1);
        }
    }

    @Test
    void canBeAnAnswer(Nodes nodes) throws Exception {
        byte[] content = content(10_000);
        try (FileSource file = file(content)) {
            Pair pair = nodes.pair();
            var unused = pair.far().answer("file", request -> {
                request.release();
                return reactor.core.publisher.Mono.fromSupplier(() -> piece(file, 10, 9_000));
            });
            Message answer = pair.peer().ask("file", Message.of("")).block(Patience.LIMIT);
            assertThat(answer).isNotNull();
            assertThat(answer.bytes()).isEqualTo(Arrays.copyOfRange(content, 10, 9_010));
            answer.release();
        }
    }

    /** Over a path that has it read, this ends its channel and nothing else. */
    @Test
    void aFileThatBecomesShorterEndsItsChannel() throws Exception {
        Nodes nodes = new Nodes(Route.LOCAL);
        try (FileSource file = file(content(10_000))) {
            Pair pair = nodes.pair();
            FilePiece piece = file.piece(5_000, 5_000);
            Files.write(folder.resolve("file"), new byte[5_001]);
            Pair.Ends ends = pair.open("pieces");
            assertThatThrownBy(
                            () -> ends.near().send(Flux.just(Message.of(piece))).block(Patience.LIMIT))
                    .hasMessageContaining("a file has become shorter while it was sent");
            assertThatThrownBy(() -> ends.far().receive().blockLast(Patience.LIMIT))
                    .isInstanceOf(RemoteFailure.class)
                    .hasMessageContaining("a file has become shorter while it was sent");
            pair.settle();
        } finally {
            nodes.close();
        }
    }
}
