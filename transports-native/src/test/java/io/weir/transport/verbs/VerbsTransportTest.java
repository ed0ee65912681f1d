package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.core.Availability;
import io.weir.core.Misconfigured;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class VerbsTransportTest {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private final Transport transport = new VerbsTransport();

    private static TransportSettings settings(boolean nativeAllowed, Map<String, String> options) {
        return new TransportSettings(Path.of("unused"), nativeAllowed, options);
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(VerbsDevice.open()).isZero();
        assertThat(Descriptor.open()).isZero();
    }

    @Test
    void isFoundByItsName() {
        assertThat(ServiceLoader.load(Transport.class))
                .anyMatch(found -> found.name().equals("verbs"));
    }

    @Test
    void isMissingWithASentenceWhereNativeCodeIsSwitchedOff() {
        assertThat(transport.availability(settings(false, Map.of())))
                .isEqualTo(new Availability.Missing("native code is switched off (weir.native=off)"));
    }

    /** Of the library, of the kernel's modules, or of a device. */
    @Test
    void isMissingWithTheRemedyWhereThereIsNoDevice() throws IOException {
        assumeTrue(hasNoDevice(), "there is an RDMA device");
        Availability here = transport.availability(settings(true, Map.of()));
        assertThat(here)
                .isInstanceOfSatisfying(
                        Availability.Missing.class,
                        missing -> assertThat(missing.reason())
                                .containsAnyOf("libibverbs1", "modprobe ib_uverbs", "rdma link add"));
    }

    @Test
    void reportsThatTheDeviceIsMissingAndStaysSilent() throws IOException {
        assumeTrue(hasNoDevice(), "there is an RDMA device");
        StepVerifier.create(transport.reports(settings(true, Map.of())))
                .expectNextMatches(report -> report.equals(transport.availability(settings(true, Map.of()))))
                .thenCancel()
                .verify(Duration.ofSeconds(30));
    }

    private static boolean hasNoDevice() throws IOException {
        if (!Files.isDirectory(DEVICES)) {
            return true;
        }
        try (Stream<Path> devices = Files.list(DEVICES)) {
            return devices.findAny().isEmpty();
        }
    }

    @Test
    void badOptionsAreNamedBeforeAnythingIsLoaded() {
        assertThat(transport.options()).contains("slots");
        assertThatThrownBy(() -> transport.availability(settings(false, Map.of("slots", "few"))))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("slots=few");
    }

    @Test
    void isNotPrivate() {
        assertThat(transport.isPrivate(settings(true, Map.of()))).isFalse();
    }

    @Test
    void aDeviceThatCanNotDoItSaysWhatToSet() {
        VerbsOptions options = VerbsOptions.of(settings(true, Map.of("slots", "100", "pool-size", "1m")));
        DeviceLimits enough = new DeviceLimits(options.memory().lockedBytes(), 116, 216, 16, 1);
        assertThat(catchThrowable(() -> enough.check("dev", options))).isNull();
        assertThatThrownBy(() -> new DeviceLimits(Long.MAX_VALUE, 115, 216, 16, 1).check("dev", options))
                .hasMessageContaining("device dev takes 115 requests")
                .hasMessageContaining("need 116")
                .hasMessageContaining("slots lower");
        assertThatThrownBy(() -> new DeviceLimits(Long.MAX_VALUE, 116, 215, 16, 1).check("dev", options))
                .hasMessageContaining("215 completions")
                .hasMessageContaining("and 216");
        assertThatThrownBy(() ->
                        new DeviceLimits(options.memory().lockedBytes() - 1, 116, 216, 16, 1).check("dev", options))
                .hasMessageContaining("registers at most")
                .hasMessageContaining("pool-size lower");
        assertThatThrownBy(() -> new DeviceLimits(Long.MAX_VALUE, 116, 216, 16, 0).check("dev", options))
                .hasMessageContaining("can't read remote memory");
    }

    @Test
    void statusesAndEventsHaveWords() {
        assertThat(CompletionStatus.lost("sending", 12, 0x81))
                .hasMessageContaining("while sending: the peer does not answer")
                .hasMessageContaining("status 12, the device says 0x81");
        assertThat(CompletionStatus.lost("sending", 99, 0))
                .hasMessageContaining("a status that we don't know (status 99");
        assertThat(CompletionStatus.lost("sending", -1, 0)).hasMessageContaining("(status -1");
        assertThat(AsyncEvent.of(10)).isEqualTo(AsyncEvent.PORT_DOWN);
        assertThat(AsyncEvent.of(18)).isEqualTo(AsyncEvent.GID_CHANGED);
        assertThat(AsyncEvent.of(19)).isEqualTo(AsyncEvent.UNKNOWN);
        assertThat(AsyncEvent.of(-1)).isEqualTo(AsyncEvent.UNKNOWN);
        for (AsyncEvent each : AsyncEvent.values()) {
            assertThat(AsyncEvent.of(each.number())).isEqualTo(each);
        }
    }
}
