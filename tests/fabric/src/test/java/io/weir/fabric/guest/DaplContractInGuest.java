package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.core.TransportSettings;
import io.weir.tck.TransportContract;
import io.weir.tck.TransportFixture;
import io.weir.transport.dapl.DaplTransport;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

/** Slots and a pool of the usual size. */
class DaplContractInGuest implements TransportContract {

    /** Its first use opens what stays open. */
    @BeforeAll
    static void use() {
        TransportSettings settings = new TransportSettings(Path.of("unused"), true, Map.of());
        assertThat(new DaplTransport().availability(settings)).isInstanceOf(Availability.Ready.class);
    }

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("dapl");
    }
}
