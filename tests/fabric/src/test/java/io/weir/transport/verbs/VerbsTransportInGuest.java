package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.core.Transport;
import io.weir.transport.rdma.Soon;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** What the adapter finds, and hears of its device. Runs where there is one: in a guest. */
@ExtendWith(Guest.class)
class VerbsTransportInGuest {

    private static final Availability READY =
            new Availability.Ready("1 roce v2-ipv4", "rxe0 port 1 (GID 1 00000000000000000000ffff0a630001)");

    private final Transport transport = new VerbsTransport();
    private Disposable listening = Disposables.single();

    @AfterEach
    void listensNoLonger() {
        listening.dispose();
    }

    private Availability availability(Map<String, String> options) {
        return transport.availability(Guest.settings(options));
    }

    @Test
    void isReady() {
        assertThat(availability(Map.of())).isEqualTo(READY);
        assertThat(availability(Map.of("port", "1", "slots", "1024", "slot-size", "1m", "pool-size", "1g")))
                .isEqualTo(READY);
    }

    @Test
    void takesTheGidThatIsChosen() {
        assertThat(availability(Map.of("gid-index", "0"))).isInstanceOfSatisfying(Availability.Ready.class, ready -> {
            assertThat(ready.card()).isEqualTo("1 roce v2-local");
            assertThat(ready.details()).startsWith("rxe0 port 1 (GID 0 fe80");
        });
        assertThat(availability(Map.of("gid-index", "1"))).isEqualTo(READY);
    }

    @ParameterizedTest
    @CsvSource({
        "device, mlx5_9, there is no RDMA device mlx5_9 but",
        "port, 2, has no port 2 but 1",
        "gid-index, 77, has no GID 77",
        "gid-index, 9999, has no GID 9999"
    })
    void whatIsNotThereIsNamed(String option, String value, String text) {
        assertThat(availability(Map.of(option, value)))
                .isInstanceOfSatisfying(
                        Availability.Missing.class,
                        missing -> assertThat(missing.reason().replace(",", ""))
                                .contains(text, "weir.transport.verbs." + option));
    }

    @Test
    void oneDeviceIsSharedByAllThatChooseAlike() {
        VerbsDevice first = VerbsDevice.acquire(Guest.ANY);
        VerbsDevice second = VerbsDevice.acquire(Guest.ANY);
        VerbsDevice other = VerbsDevice.acquire(new VerbsOptions.Choice("", 1, VerbsOptions.ANY));
        assertThat(second).isSameAs(first).isNotSameAs(other);
        assertThat(VerbsDevice.open()).isEqualTo(2);
        first.release();
        other.release();
        VerbsDevice third = VerbsDevice.acquire(Guest.ANY);
        assertThat(third).isSameAs(first);
        third.release();
        second.release();
        VerbsDevice anew = VerbsDevice.acquire(Guest.ANY);
        assertThat(anew).isNotSameAs(first);
        anew.release();
    }

    @Test
    void whoListensHearsOfThePort() throws IOException {
        String network = Guest.netInterface();
        List<Availability> heard = new CopyOnWriteArrayList<>();
        listening = transport.reports(Guest.settings(Map.of())).subscribe(heard::add);
        Soon.until(() -> VerbsDevice.open() == 1);
        try {
            var unused = Guest.run("ip", "link", "set", network, "down");
            Soon.until(() -> !heard.isEmpty());
            assertThat(heard.get(0))
                    .isInstanceOfSatisfying(
                            Availability.Missing.class,
                            missing -> assertThat(missing.reason()).contains("port 1", "ip link"));
            assertThat(availability(Map.of())).isEqualTo(heard.get(0));
            // Chosen in another way, it is opened anew.
            assertThat(availability(Map.of("device", "rxe0", "port", "1")))
                    .isInstanceOfSatisfying(
                            Availability.Missing.class,
                            missing -> assertThat(missing.reason()).contains("is not active", "ip link"));
        } finally {
            var unused = Guest.run("ip", "link", "set", network, "up");
        }
        Soon.until(() -> heard.get(heard.size() - 1).equals(READY));
        assertThat(availability(Map.of())).isEqualTo(READY);
    }

    @Test
    void whoListensHoldsTheDevice() {
        listening = transport.reports(Guest.settings(Map.of())).subscribe();
        Soon.until(() -> VerbsDevice.open() == 1);
        assertThat(availability(Map.of())).isEqualTo(READY);
        assertThat(VerbsDevice.open()).isOne();
        listening.dispose();
        Soon.until(() -> VerbsDevice.open() == 0);
    }

    @Test
    void whoStopsListeningAtOnceHoldsNothing() {
        for (int round = 0; round < 5; round++) {
            transport.reports(Guest.settings(Map.of())).subscribe().dispose();
        }
        // Each opens the device on a thread of its own, perhaps only now, and finds that nobody listens.
        Soon.until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("weir-verbs-reports")));
    }
}
