package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListingTextTest {

    private static final PeerId ID = new PeerId(new UUID(1, 2), "Café à la carte", 1_700_000_000_000L);

    private static Listing listing(Map<String, String> attributes) {
        List<PeerAddress> addresses = List.of(new PeerAddress("::1", 7000), new PeerAddress("/run/a socket", -1));
        return new Listing(
                new Member(ID, "host-1", addresses, attributes, Instant.ofEpochMilli(12_345)),
                List.of(
                        new ServiceInstance("tax", ID, addresses, "tax", true, List.of("shm", "tcp"), Map.of("", "")),
                        new ServiceInstance(
                                "tax", ID, List.of(), "tax 2", false, List.of(), Map.of("a=b", "c\nend\n"))));
    }

    private static String text() {
        return new String(ListingText.write(listing(Map.of("zone", "α & β"))), UTF_8);
    }

    private static Listing read(String text) {
        return ListingText.read(text.getBytes(UTF_8));
    }

    @Test
    void whatIsWrittenIsRead() {
        Listing listing = listing(Map.of("zone", "α & β", "b", "+%20 x"));
        assertThat(ListingText.read(ListingText.write(listing))).isEqualTo(listing);
    }

    @Test
    void linesOfALaterVersionArePassedOver() {
        assertThat(read(text().replace("end\n", "weather sunny\nend\n"))).isEqualTo(read(text()));
    }

    @Test
    void whatIsCutShortIsRefused() {
        String text = text();
        for (int length = 0; length < text.length(); length++) {
            String part = text.substring(0, length);
            assertThatThrownBy(() -> read(part)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whateverTheBytesAreNothingElseHappens() {
        byte[] good = text().getBytes(UTF_8);
        SplittableRandom random = new SplittableRandom(4);
        for (int round = 0; round < 4_000; round++) {
            byte[] bad = Arrays.copyOf(good, good.length);
            for (int change = random.nextInt(1, 4); change > 0; change--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            assertThat(catchThrowable(() -> ListingText.read(bad)))
                    .satisfiesAnyOf(
                            error -> assertThat(error).isNull(),
                            error -> assertThat(error).isInstanceOf(IllegalArgumentException.class));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "weir-directory 2\nend\n",
                "weir-directory 1\nend\n",
                "weir-directory 1\nnode\nend\n",
                "weir-directory 1\nnode 0-0-0-0-1 a%0Ab 1 host 1\nend\n",
                "weir-directory 1\nnode 0-0-0-0-1 a 1 host 1\naddress nowhere\nend\n",
                "weir-directory 1\nnode 0-0-0-0-1 a 1 host 1\nservice-path shm\nend\n",
                "weir-directory 1\nnode 0-0-0-0-1 a 1 host 1\nservice %zz p false\nend\n",
                "weir-directory 1\nnode 0-0-0-0-1 a 1 host 999999999999999999\nservice a\nend\n",
            })
    void whatMakesNoSenseIsRefused(String text) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theLongestOneIsBounded() {
        assertThatThrownBy(() -> ListingText.write(listing(Map.of("story", "x".repeat(70_000)))))
                .isInstanceOf(Misconfigured.class)
                .hasMessageMatching(
                        "what .* tells of itself and its 2 services has 70\\d\\d\\d bytes, and 16384 is the most:"
                                + " give them fewer or shorter attributes");
        assertThatThrownBy(() -> ListingText.read(new byte[ListingText.LONGEST + 1]))
                .hasMessage("it has more than 16384 bytes");
    }

    /** Whoever reads them tries them all. */
    @Test
    void moreAddressesThanAnybodyHasAreRefused() {
        String node = "weir-directory 1\nnode 0-0-0-0-1 a 1 host 1\n";
        String service = "service tax tax false\n";
        assertThat(read(node + "address a:1\n".repeat(64) + service + "service-address a:1\n".repeat(64) + "end\n")
                        .member()
                        .addresses())
                .hasSize(64);
        assertThatThrownBy(() -> read(node + "address a:1\n".repeat(65) + "end\n"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> read(node + service + "service-address a:1\n".repeat(65) + "end\n"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
