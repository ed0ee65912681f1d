package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.TransportSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PosixTest {

    @BeforeAll
    static void isThere() {
        assertThat(Posix.missing(new TransportSettings(Path.of("unused"), true, Map.of())))
                .isNull();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(Mapping.open()).isZero();
        assertThat(Descriptor.open()).isZero();
    }

    private static long mapsOf(String name) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("/memfd:" + name)).count();
        }
    }

    @Test
    void isMissingWhereNativeCodeIsSwitchedOff() {
        assertThat(Posix.missing(new TransportSettings(Path.of("unused"), false, Map.of())))
                .contains("weir.native=off");
    }

    @Test
    void memoryStaysMappedUntilItsLastHolderLetsGo() throws IOException {
        Descriptor file = Posix.memoryFile("weir-mapping-test", 12_288);
        Mapping mapping = Posix.map(file, 12_288);
        file.close();
        assertThat(mapsOf("weir-mapping-test")).isOne();
        ByteBuffer memory = mapping.memory();
        assertThat(memory.isDirect()).isTrue();
        assertThat(memory.capacity()).isEqualTo(12_288);
        assertThat(memory.getLong(12_280)).isZero();
        mapping.retain();
        mapping.release();
        memory.putLong(0, 5);
        assertThat(memory.getLong(0)).isEqualTo(5);
        assertThat(Mapping.open()).isOne();
        mapping.release();
        assertThat(mapsOf("weir-mapping-test")).isZero();
        assertThatThrownBy(mapping::retain).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(mapping::release).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void failuresNameTheCallAndTheReason() throws NativeFailure {
        assertThatThrownBy(() -> Posix.memoryFile("none", -1))
                .isInstanceOf(NativeFailure.class)
                .hasMessageContaining("posix_fallocate of -1 bytes: Invalid argument (error 22)");
        Descriptor event = Posix.event();
        assertThatThrownBy(() -> Posix.map(event, 4096))
                .isInstanceOf(NativeFailure.class)
                .hasMessageContaining("mmap of 4096 bytes: No such device");
        assertThatThrownBy(() -> Posix.seal(event))
                .isInstanceOf(NativeFailure.class)
                .hasMessageContaining("fcntl(F_ADD_SEALS): Invalid argument");
        event.close();
        // Not the number of what was just closed: another thread may have opened it again.
        Descriptor nothing = Descriptor.own(Integer.MAX_VALUE);
        assertThatThrownBy(() -> Posix.length(nothing))
                .isInstanceOf(NativeFailure.class)
                .hasMessageContaining("lseek: Bad file descriptor");
        assertThatThrownBy(() -> Posix.signal(nothing))
                .isInstanceOf(NativeFailure.class)
                .hasMessageContaining("eventfd_write: Bad file descriptor");
        nothing.close();
    }

    @Test
    void anEventIsSignalledAndClearedAndNeverBlocks() throws NativeFailure {
        try (Descriptor event = Posix.event();
                Descriptor file = Posix.memoryFile("weir-event-test", 4096)) {
            assertThat(Posix.isEvent(event)).isTrue();
            assertThat(Posix.isEvent(file)).isFalse();
            assertThatCode(() -> Posix.clear(event)).doesNotThrowAnyException();
            Posix.signal(event);
            Posix.signal(event);
            Posix.clear(event);
            Posix.clear(event);
        }
    }

    @Test
    void aDescriptorIsClosedOnce() throws NativeFailure {
        List<Descriptor> opened = new ArrayList<>();
        try {
            Descriptor first = Posix.event();
            first.close();
            while (!reopen(first.number(), opened)) {
                assertThat(opened).as("no number was used again").hasSizeLessThan(500);
                first = Posix.event();
                first.close();
            }
            Descriptor second = opened.get(opened.size() - 1);
            first.close();
            assertThat(Posix.isEvent(second)).isTrue();
        } finally {
            opened.forEach(Descriptor::close);
        }
    }

    /**
     * Opens descriptors until one has this number: the lowest free one is given. Other threads of this JVM may have freed lower ones,
     * or take this one before.
     */
    private static boolean reopen(int number, List<Descriptor> opened) throws NativeFailure {
        int latest;
        do {
            Descriptor next = Posix.event();
            opened.add(next);
            latest = next.number();
        } while (latest < number);
        return latest == number;
    }
}
