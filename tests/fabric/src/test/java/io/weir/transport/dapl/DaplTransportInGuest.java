package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.fabric.guest.DeviceCheck;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the adapter finds in the registry of the guest. */
@ExtendWith({DeviceCheck.class, Guest.class})
class DaplTransportInGuest {

    /** Its first use opens what stays open. */
    @BeforeAll
    static void use() {
        for (String adapter : List.of("ofa-v2-cma-ip", "ofa-v2-scm-rxe")) {
            assertThat(availability(Map.of("adapter", adapter))).isInstanceOf(Availability.Ready.class);
        }
    }

    private static Availability availability(Map<String, String> options) {
        return new DaplTransport().availability(Guest.settings(options));
    }

    @Test
    void takesTheFirstOfTheRegistry() {
        Availability ready = new Availability.Ready("1 rdma-cm", Guest.ADAPTER + " on port0, 10.99.0.1 (rdma-cm)");
        assertThat(availability(Map.of())).isEqualTo(ready);
        assertThat(availability(Map.of("slots", "1024", "slot-size", "1m", "pool-size", "1g")))
                .isEqualTo(ready);
    }

    @ParameterizedTest
    @CsvSource({"ofa-v2-cma-ip, rdma-cm, 10.99.0.1", "ofa-v2-scm-rxe, sockets, rxe0"})
    void takesTheOneThatIsChosen(String adapter, String kind, String device) {
        assertThat(availability(Map.of("adapter", adapter))).isInstanceOfSatisfying(Availability.Ready.class, ready -> {
            assertThat(ready.card()).isEqualTo("1 " + kind);
            assertThat(ready.details())
                    .startsWith(adapter + " on " + device + ", ")
                    .endsWith(" (" + kind + ")");
        });
    }

    @Test
    void oneThatIsNotInTheRegistryIsNamed() {
        assertThat(availability(Map.of("adapter", "no-such")))
                .isInstanceOfSatisfying(
                        Availability.Missing.class,
                        missing -> assertThat(missing.reason())
                                .contains("weir.transport.dapl.adapter=no-such", "/etc/dat.conf", Guest.ADAPTER));
    }
}
