package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Loads what is native first, and fails a test that leaves a mapping or a descriptor behind. */
final class NothingLeft implements BeforeAllCallback, AfterEachCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        TransportSettings settings = new TransportSettings(Path.of("unused"), true, Map.of());
        assertThat(new ShmTransport().availability(settings)).isInstanceOf(Availability.Ready.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        // A segment that was being made when its link was given up is closed when it is there.
        long end = System.nanoTime() + ShmPair.LONG.toNanos();
        while (Mapping.open() + Descriptor.open() != 0 && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        assertThat(Mapping.open()).as("mappings").isZero();
        assertThat(Descriptor.open()).as("descriptors").isZero();
    }
}
