package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.rdma.Soon;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A kernel with an RDMA device, in which these tests are the only user of it. Fails a test that leaves anything behind:
 * in this process, or in the kernel.
 */
final class Guest implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback {

    static final VerbsOptions.Choice ANY = VerbsOptions.of(settings(Map.of())).choice();

    private String before = "";

    static TransportSettings settings(Map<String, String> options) {
        return new TransportSettings(Path.of("unused"), true, options);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        assertThat(new VerbsTransport().availability(settings(Map.of()))).isInstanceOf(Availability.Ready.class);
        Soon.until(() -> VerbsDevice.open() == 0);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        before = run("rdma", "resource", "show");
        assertThat(before).contains("qp", "cq", "mr");
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Soon.until(() -> VerbsDevice.open() == 0);
        assertThat(Descriptor.open()).isZero();
        assertThat(run("rdma", "resource", "show")).isEqualTo(before);
    }

    /** The network interface that the device is made of. */
    static String netInterface() throws IOException {
        VerbsDevice device = VerbsDevice.acquire(ANY);
        try {
            return Files.readString(
                            Path.of("/sys/class/infiniband", device.port().device(), "parent"), StandardCharsets.UTF_8)
                    .trim();
        } finally {
            device.release();
        }
    }

    static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(said).isZero();
            return said;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
