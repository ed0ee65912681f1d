package io.weir.service.directory;

import static io.weir.fuzz.Hostile.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.fuzz.Hostile;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What anybody may have written into a folder or into ZooKeeper is refused with a text that is fit for a log, or is a
 * listing that is the same when it is written again, has names that can be printed, and takes no more memory than is
 * counted for it.
 */
class ListingTextFuzzTest {

    /** Beside what is counted: the lines and words while it is read, and an error with its stack. */
    private static final long FREE = 256 << 10;

    static Stream<byte[]> seeds() {
        PeerId id = new PeerId(new UUID(1, 2), "Caf\u00e9 \u00e0 la carte", 1_700_000_000_000L);
        List<PeerAddress> addresses = List.of(new PeerAddress("::1", 7000), new PeerAddress("/run/a socket", -1));
        Listing listing = new Listing(
                new Member(id, "host-1", addresses, Map.of("zone", "a & b"), Instant.ofEpochMilli(12_345)),
                List.of(
                        new ServiceInstance("tax", id, addresses, "tax", true, List.of("shm", "tcp"), Map.of("", "")),
                        new ServiceInstance("tax", id, List.of(), "2", false, List.of(), Map.of("a=b", "c\nend\n"))));
        String text = new String(ListingText.write(listing), UTF_8);
        String bare = "weir-directory 1\nnode 1-2-3-4-5 n 1 h -1\nend\n";
        return Stream.of(
                        text,
                        text.replace("end\n", "weather sunny\nend\n"),
                        text.replace("address", "service-address"),
                        text.replace("service ", "servce "),
                        text.replace("7000", "70000"),
                        text.replace("%", "%-"),
                        text.replace("Caf%C3%A9", "%1B%5B2J"),
                        bare,
                        bare.replace("-1", "9223372036854775807"),
                        bare.replace("end", "address unix%3A%2Fa%1B%0A\nend"),
                        bare.replace("end", "address host%3A7\n".repeat(65) + "end"),
                        bare.replace("end", "attribute " + "+".repeat(500) + " %E2%80%AE\nend"),
                        bare.replace("end", "\n".repeat(300) + "end"),
                        "weir-directory 1\nend\n",
                        "weir-directory 2\nend\n")
                .map(each -> each.getBytes(UTF_8));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatAnybodyHasWrittenIsRefusedOrTheSameAgain(byte[] input) throws Exception {
        Listing listing;
        try {
            long most = FREE + 12 * EntryRoom.cost(input);
            listing = Hostile.within(most, () -> ListingText.read(input));
        } catch (IllegalArgumentException e) {
            Hostile.checkText(e);
            return;
        }
        check(input.length <= ListingText.LONGEST, "it is longer than it may be");
        name(listing.member().id().name());
        name(listing.member().host());
        check(listing.member().addresses().size() <= 64, listing);
        for (ServiceInstance each : listing.services()) {
            name(each.service());
            name(each.port());
            each.paths().forEach(ListingTextFuzzTest::name);
            check(each.node().equals(listing.member().id()), listing);
            check(each.addresses().size() <= 64, listing);
        }
        byte[] written;
        try {
            written = ListingText.write(listing);
        } catch (Misconfigured e) {
            Hostile.checkText(e);
            // What was written with fewer signs in between is longer then.
            check(input.length > ListingText.LONGEST / 12, e);
            return;
        }
        check(ListingText.read(written).equals(listing), listing);
    }

    private static void name(String name) {
        check(name.equals(ForeignText.harmless(name)) && !name.isBlank(), name);
        check(name.getBytes(UTF_8).length <= PeerId.MAX_NAME, name);
    }
}
