package io.weir.samples.files;

import io.weir.core.FileSource;
import io.weir.core.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class PiecesTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private Flux<Integer> lengths(int size, long from, long length) throws IOException {
        return pieces(size, from, length).map(piece -> {
            int bytes = piece.size();
            piece.release();
            return bytes;
        });
    }

    private Flux<Message> pieces(int size, long from, long length) throws IOException {
        Path file = Files.write(folder.resolve("file"), new byte[size]);
        return Pieces.of(() -> FileSource.open(file), from, length);
    }

    @Test
    void theLastPieceIsWhatIsLeft() throws IOException {
        StepVerifier.create(lengths(Pieces.LENGTH + 7, 2, Long.MAX_VALUE))
                .expectNext(Pieces.LENGTH, 5)
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void aRangeMayEndBeforeTheFile() throws IOException {
        StepVerifier.create(lengths(100, 10, 20))
                .expectNext(20)
                .expectComplete()
                .verify(LIMIT);
    }

    @Test
    void aRangeThatCanNotBeNamesTheSize() throws IOException {
        StepVerifier.create(pieces(10, 11, 1))
                .expectErrorMessage("1 bytes from 11 on can't be read: the file has 10")
                .verify(LIMIT);
        StepVerifier.create(pieces(10, -1, 1)).expectError(IOException.class).verify(LIMIT);
        StepVerifier.create(pieces(10, 0, -1)).expectError(IOException.class).verify(LIMIT);
    }

    @Test
    void aFileThatBecomesShorterIsAnError() throws IOException {
        Flux<Message> pieces = pieces(2 * Pieces.LENGTH, 0, Long.MAX_VALUE);
        StepVerifier.create(pieces, 1)
                .consumeNextWith(Message::release)
                .then(() -> truncate(folder.resolve("file")))
                .thenRequest(1)
                .expectErrorMessage(
                        Pieces.LENGTH + " bytes from " + Pieces.LENGTH + " on can't be had of a file of 0 bytes")
                .verify(LIMIT);
    }

    private static void truncate(Path file) {
        try {
            Files.write(file, new byte[0]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
