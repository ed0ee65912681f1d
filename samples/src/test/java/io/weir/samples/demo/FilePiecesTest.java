package io.weir.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.test.StepVerifier;

class FilePiecesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
    private final List<Integer> read = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void nothingIsLeft() {
        assertThat(memory.metric().usedDirectMemory()).isZero();
        assertThat(memory.metric().usedHeapMemory()).isZero();
    }

    private FilePieces pieces(int size) throws IOException {
        return new FilePieces(Files.write(folder.resolve("file"), new byte[size]), memory, read::add);
    }

    @Test
    void readsWhatIsAskedForAndNoMore() throws IOException {
        StepVerifier.create(pieces(3 * FilePieces.PIECE).flux(), 0)
                .expectSubscription()
                .thenRequest(1)
                .consumeNextWith(Message::release)
                .then(() -> assertThat(read).containsExactly(FilePieces.PIECE))
                .thenCancel()
                .verify(LIMIT);
        assertThat(read).hasSize(1);
    }

    @Test
    void theLastPieceIsWhatIsLeft() throws IOException {
        StepVerifier.create(pieces(FilePieces.PIECE + 5).flux())
                .consumeNextWith(Message::release)
                .consumeNextWith(Message::release)
                .expectComplete()
                .verify(LIMIT);
        assertThat(read).containsExactly(FilePieces.PIECE, 5);
    }

    @Test
    void aFileThatGoesAwayIsAnError() {
        StepVerifier.create(new FilePieces(folder.resolve("absent"), memory, read::add).flux())
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("absent"))
                .verify(LIMIT);
    }

    @Test
    void whatCanNotBeReadIsAnError() {
        StepVerifier.create(new FilePieces(Path.of("/proc/self/mem"), memory, read::add).flux())
                .expectError(UncheckedIOException.class)
                .verify(LIMIT);
    }
}
