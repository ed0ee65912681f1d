package io.weir.samples.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.FileSource;
import io.weir.samples.files.Folder.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FolderTest {

    @TempDir
    private Path above;

    private Folder folder;

    @BeforeEach
    void oneFileAndWhatIsNone() throws IOException {
        folder = new Folder(Files.createDirectory(above.resolve("served")));
        Files.writeString(above.resolve("secret"), "secret");
        Files.writeString(folder.path().resolve("file-1.txt"), "content");
        Files.writeString(folder.path().resolve(".part"), "hidden");
        Files.createDirectory(folder.path().resolve("folder"));
        Files.createSymbolicLink(folder.path().resolve("link"), above.resolve("secret"));
        Files.createSymbolicLink(folder.path().resolve("inner"), folder.path().resolve("file-1.txt"));
    }

    @Test
    void onlyRegularFilesAreListed() {
        try (Stream<Entry> all = folder.list()) {
            assertThat(all).containsExactly(new Entry("file-1.txt", 7));
        }
    }

    @Test
    void aFileIsOpened() throws IOException {
        try (FileSource file = folder.read("file-1.txt")) {
            assertThat(file.size()).isEqualTo(7);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret",
                "/etc/passwd",
                "..",
                ".",
                "",
                ".part",
                "folder/x",
                "a\\b",
                "a\nb",
                "a\0b",
                "file 1",
                "ü"
            })
    void whatIsNoName(String name) {
        assertThatThrownBy(() -> folder.resolve(name))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is no name of a file here")
                .hasMessageMatching("[\\x20-\\x7e]*");
    }

    @Test
    void aLongNameIsNotRepeatedWhole() {
        assertThatThrownBy(() -> folder.resolve("x".repeat(5000)))
                .hasMessageContaining("is no name")
                .hasMessageMatching(".{100,300}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"link", "inner", "folder", "absent"})
    void whatIsNoFile(String name) {
        assertThatThrownBy(() -> folder.read(name)).hasMessage("there is no file '" + name + "'");
    }
}
