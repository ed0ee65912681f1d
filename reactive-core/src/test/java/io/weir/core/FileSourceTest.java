package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSourceTest {

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);

    @TempDir
    private Path folder;

    private Path path;

    @BeforeEach
    void tenBytes() throws IOException {
        path = Files.writeString(folder.resolve("file"), "0123456789");
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(memory.metric().usedDirectMemory()).isZero();
    }

    private String text(FilePiece piece) throws IOException {
        ByteBuf read = piece.read(memory);
        try {
            return read.toString(StandardCharsets.US_ASCII);
        } finally {
            read.release();
        }
    }

    @Test
    void pieceAndSlice() throws IOException {
        try (FileSource file = FileSource.open(path)) {
            assertThat(file.size()).isEqualTo(10);
            FilePiece piece = file.piece(2, 6);
            assertThat(text(piece)).isEqualTo("234567");
            FilePiece slice = piece.slice(1, 3);
            assertThat(piece.release()).isTrue();
            assertThat(text(slice)).isEqualTo("345");
            assertThatThrownBy(() -> slice.slice(1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(slice.release()).isTrue();
        }
    }

    @Test
    void theFileIsClosedBehindItsLastPiece() throws IOException {
        FileSource file = FileSource.open(path);
        FilePiece piece = file.piece(0, 3);
        file.close();
        file.close();
        assertThat(text(piece)).isEqualTo("012");
        assertThat(piece.release()).isTrue();
        assertThatThrownBy(file::size).isInstanceOf(IOException.class);
    }

    @Test
    void whatIsNotThereIsNoPiece() throws IOException {
        try (FileSource file = FileSource.open(path)) {
            for (long position : new long[] {8, 11, -1, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> file.piece(position, 3))
                        .hasMessage("3 bytes from " + position + " on can't be had of a file of 10 bytes");
            }
            FilePiece nothing = file.piece(10, 0);
            assertThat(text(nothing)).isEmpty();
            assertThat(nothing.release()).isTrue();
        }
    }

    @Test
    void aFileThatBecomesShorterIsAnError() throws IOException {
        try (FileSource file = FileSource.open(path)) {
            FilePiece piece = file.piece(5, 5);
            Files.writeString(path, "012345");
            assertThatThrownBy(() -> piece.read(memory))
                    .hasMessage("a file has become shorter while it was sent: it has 6 bytes, and some up to 10 "
                            + "were to be sent");
            assertThat(piece.release()).isTrue();
        }
    }

    @Test
    void asAMessage() throws IOException {
        try (FileSource file = FileSource.open(path)) {
            Message message = Message.of(file.piece(1, 4)).with("key", "value");
            assertThat(message.size()).isEqualTo(4);
            assertThat(message.payload().isReadable()).isFalse();
            assertThat(message).hasToString("Message[4 B of a file, {key=value}]");
            assertThat(message.retain().release()).isFalse();
            assertThat(message.refCnt()).isOne();
            assertThat(message.release()).isTrue();
            assertThat(message).hasToString("Message[released, {key=value}]");
        }
    }
}
