package io.weir.samples.files;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class StoringTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

    @TempDir
    private Path folder;

    @AfterEach
    void nothingIsLeftInMemory() {
        assertThat(memory.metric().usedDirectMemory()).isZero();
    }

    private Message message(String text) {
        ByteBuf payload = memory.directBuffer();
        payload.writeCharSequence(text, US_ASCII);
        return Message.of(payload);
    }

    private Mono<Long> storing(Flux<Message> pieces) {
        return Storing.of(pieces, first -> folder.resolve("file"));
    }

    private void assertOnlyFiles(String... names) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder(names);
        }
    }

    @Test
    void theFileIsThereAsAWhole() throws IOException {
        Files.writeString(folder.resolve("file"), "what was there before");
        Flux<Message> pieces = Flux.range(0, 50).map(i -> message(i % 10 + ""));
        StepVerifier.create(storing(pieces)).expectNext(50L).expectComplete().verify(LIMIT);
        assertThat(folder.resolve("file")).hasContent("01234567890123456789012345678901234567890123456789");
        assertOnlyFiles("file");
    }

    @Test
    void partsAreGathered() {
        CompositeByteBuf parts = memory.compositeDirectBuffer();
        parts.addComponents(true, message("ab").payload(), message("cd").payload());
        StepVerifier.create(storing(Flux.just(Message.of(parts))))
                .expectNext(4L)
                .expectComplete()
                .verify(LIMIT);
        assertThat(folder.resolve("file")).hasContent("abcd");
    }

    @Test
    void anEmptyStreamIsAnEmptyFile() {
        StepVerifier.create(storing(Flux.empty()))
                .expectNext(0L)
                .expectComplete()
                .verify(LIMIT);
        assertThat(folder.resolve("file")).isEmptyFile();
    }

    @Test
    void nothingIsLeftWhenTheStreamFails() throws IOException {
        Files.writeString(folder.resolve("file"), "before");
        Flux<Message> pieces = Flux.range(0, 3).map(i -> message("x")).concatWith(Flux.error(new IOException("cut")));
        StepVerifier.create(storing(pieces)).expectErrorMessage("cut").verify(LIMIT);
        assertThat(folder.resolve("file")).hasContent("before");
        assertOnlyFiles("file");
    }

    @Test
    void nothingIsLeftWhenThereIsNoPlace() throws IOException {
        Flux<Message> pieces = Flux.range(0, 20).map(i -> message("x"));
        StepVerifier.create(Storing.of(pieces, first -> folder.resolve("absent/file")))
                .expectErrorSatisfies(error -> assertThat(error).hasMessageContaining("absent"))
                .verify(LIMIT);
        assertOnlyFiles();
    }

    @Test
    void asksForNoMoreThanMayWait() {
        TestPublisher<Message> pieces = TestPublisher.create();
        StepVerifier.create(storing(pieces.flux()))
                .then(() -> pieces.assertMinRequested(8).next(message("a")))
                .then(pieces::complete)
                .expectNext(1L)
                .expectComplete()
                .verify(LIMIT);
    }
}
