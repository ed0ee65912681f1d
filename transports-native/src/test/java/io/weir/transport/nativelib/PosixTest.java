package io.weir.transport.nativelib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.kenai.jffi.Library;
import io.weir.core.TransportSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
                .hasMessageContaining("ftruncate to -1 bytes: Invalid argument (error 22)");
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
        try (Descriptor event = Posix.event()) {
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
            assertThatCode(() -> Posix.signal(second)).doesNotThrowAnyException();
        } finally {
            opened.forEach(Descriptor::close);
        }
    }

    /**
     * Opens descriptors until one has this number: the lowest free one is given. Other threads of this JVM may have
     * freed lower ones, or take this one before.
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

    @Test
    void waitsForEitherOfTwoDescriptors() throws NativeFailure {
        try (Descriptor one = Posix.event();
                Descriptor other = Posix.event()) {
            Posix.signal(other);
            Posix.awaitReadable(one.number(), other.number());
            Posix.clear(other);
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try {
                    Posix.awaitReadable(one.number(), other.number());
                } catch (NativeFailure e) {
                    throw new AssertionError(e);
                }
            });
            assertThat(waiting).isNotDone();
            Posix.signal(one);
            assertThat(waiting.orTimeout(30, TimeUnit.SECONDS).join()).isNull();
        }
    }

    @Test
    void knowsHowMuchMemoryMayBeLocked() throws NativeFailure {
        assertThat(Posix.lockableBytes()).isNotNegative();
    }

    @Test
    void aStructureIsAlignedAndAsLongAsItWasAskedFor() {
        for (int bytes : new int[] {1, 4, 63, 64, 65, 128, 5000}) {
            ByteBuffer structure = Structures.allocate(bytes);
            assertThat(structure.capacity()).isEqualTo(bytes);
            assertThat(Structures.address(structure) % 64).isZero();
            assertThat(structure.get(bytes - 1)).isZero();
            structure.put(bytes - 1, (byte) 7);
            assertThat(Structures.at(Structures.address(structure), bytes).get(bytes - 1))
                    .isEqualTo((byte) 7);
        }
    }

    /** The C library's own functions, found by the name that jffi's loader gives them. */
    @Test
    void callsAFunctionOfWhichOnlyTheAddressIsKnown() {
        Library library = Library.getCachedInstance("libc.so.6", Library.LAZY);
        ByteBuffer from = Structures.allocate(8).putInt(0, -5);
        ByteBuffer to = Structures.allocate(8);
        long target = Structures.address(to);
        int copied = new FunctionPointer(library.getSymbolAddress("memcpy")).call(target, Structures.address(from), 4L);
        assertThat(copied).isEqualTo((int) target);
        assertThat(to.getInt(0)).isEqualTo(-5);
        assertThat(new FunctionPointer(library.getSymbolAddress("memcmp")).call(target, Structures.address(from), 4L))
                .isZero();
        // A negative result stays negative.
        to.put(0, (byte) 1);
        from.put(0, (byte) 2);
        assertThat(new FunctionPointer(library.getSymbolAddress("memcmp")).call(target, Structures.address(from), 4L))
                .isNegative();
        assertThatThrownBy(() -> new FunctionPointer(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
