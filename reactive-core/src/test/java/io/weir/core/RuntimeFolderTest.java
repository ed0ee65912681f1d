package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@EnabledOnOs(OS.LINUX)
class RuntimeFolderTest {

    @TempDir
    private Path temporary;

    private Path folder;

    @BeforeEach
    void name() {
        folder = temporary.resolve("weir");
    }

    @Test
    void isMadePrivateWithItsParents() throws IOException {
        Path deep = temporary.resolve("a/b/weir");

        assertThat(RuntimeFolder.open(deep)).isEqualTo(deep).isDirectory();
        assertThat(permissions(deep)).isEqualTo("rwx------");
    }

    @Test
    void isUsedAgain() {
        assertThat(RuntimeFolder.open(RuntimeFolder.open(folder))).isEqualTo(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxr-xr-x", "rwx-----x", "rwxrwxrwx", "rwx---r--"})
    void mustNotBeOpenToOthers(String mode) throws IOException {
        Files.createDirectory(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));

        assertRefused("is open to others (" + mode + "); run chmod 700 " + folder);
        assertThat(permissions(folder)).as("left as it is").isEqualTo(mode);
    }

    @Test
    void mustNotBeALink() throws IOException {
        Path elsewhere = RuntimeFolder.open(temporary.resolve("elsewhere"));
        Files.createSymbolicLink(folder, elsewhere);
        assertRefused("is not a folder; remove it or name another one, weir.runtime-folder");

        Files.delete(folder);
        Files.createSymbolicLink(folder, temporary.resolve("nowhere"));
        assertRefused("is not a folder");
    }

    @Test
    void mustNotBeAFile() throws IOException {
        Files.createFile(folder);
        assertRefused("is not a folder");
    }

    @Test
    void isLookedAtWithoutBeingMade() throws IOException {
        assertThat(RuntimeFolder.check(folder)).isFalse();
        assertThat(folder).doesNotExist();
        assertThat(RuntimeFolder.check(RuntimeFolder.open(folder))).isTrue();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> RuntimeFolder.check(folder))
                .withMessageContaining("is open to others");
    }

    @Test
    void mustNotLieBelowAFile() throws IOException {
        Files.createFile(temporary.resolve("file"));
        folder = temporary.resolve("file/weir");
        assertRefused("can't be used (java.nio.file.FileAlreadyExistsException: " + temporary.resolve("file"));
    }

    /** A folder of another user: one of root's when we are not root, else one that root gives away. */
    @Test
    void mustBeOurs() throws IOException {
        int owner = 0;
        if (self() == 0) {
            owner = 54_321;
            folder = RuntimeFolder.open(folder);
            Files.setAttribute(folder, "unix:uid", owner);
        } else {
            folder = Path.of("/");
        }
        assertRefused(
                "belongs to uid " + owner + ", not to us (uid " + self() + "); name another one, weir.runtime-folder");
    }

    @Test
    void mustBeWritableForUs() throws IOException {
        assumeTrue(self() != 0, "root may write everywhere");
        Path closed = RuntimeFolder.open(temporary.resolve("closed"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("r-x------"));
        folder = closed.resolve("weir");
        assertRefused("can't be used (java.nio.file.AccessDeniedException");
    }

    @Test
    void standardIsPerUser() {
        String xdg = System.getenv("XDG_RUNTIME_DIR");

        assertThat(RuntimeFolder.standard()).isAbsolute();
        assertThat(RuntimeFolder.standard().toString())
                .isEqualTo(
                        xdg == null || xdg.isBlank()
                                ? System.getProperty("java.io.tmpdir") + "/weir-" + System.getProperty("user.name")
                                : xdg + "/weir");
    }

    private void assertRefused(String why) {
        assertThatExceptionOfType(Misconfigured.class)
                .isThrownBy(() -> RuntimeFolder.open(folder))
                .withMessageStartingWith("the run-time folder " + folder + " ")
                .withMessageContaining(why)
                .withMessageContaining(why.startsWith("is open") ? "chmod" : "weir.runtime-folder");
    }

    private static int self() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }
}
