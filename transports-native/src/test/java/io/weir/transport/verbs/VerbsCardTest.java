package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.Transport;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerbsCardTest {

    private static final String ROCE = "1 roce v2-ipv4";
    private static final String INFINIBAND = "1 ib fe80000000000000";

    private final Transport transport = new VerbsTransport();

    private String reaches(String ours, String theirs) {
        String reason = transport.reaches(peer(Map.of("verbs", ours)), peer(Map.of("verbs", theirs)));
        return reason == null ? "" : reason;
    }

    private static PeerCard peer(Map<String, String> ready) {
        return new PeerCard(new PeerId(UUID.randomUUID(), "peer", 1), "b", 5, "p", "far-away", 7, ready, Map.of());
    }

    @Test
    void readsAsItWasWritten() {
        assertThat(new VerbsCard(LinkLayer.ROCE, "v2-ipv4").encode()).isEqualTo(ROCE);
        assertThat(VerbsCard.decode(INFINIBAND)).isEqualTo(new VerbsCard(LinkLayer.INFINIBAND, "fe80000000000000"));
    }

    @Test
    void portsOfOneKindReachEachOther() {
        assertThat(reaches(ROCE, ROCE)).isEmpty();
        assertThat(reaches(INFINIBAND, INFINIBAND)).isEmpty();
    }

    @Test
    void saysWhatSeparatesTwoPorts() {
        assertThat(reaches(ROCE, INFINIBAND)).isEqualTo("its port is on ib, and ours on roce");
        assertThat(reaches(INFINIBAND, "1 ib fe80000000000001"))
                .contains("subnet fe80000000000001", "fe80000000000000");
        assertThat(reaches(ROCE, "1 roce v1")).contains("kind v1", "v2-ipv4", "gid-index");
        assertThat(reaches(ROCE, "2 roce v2-ipv4")).contains("version 2 where we have 1");
        assertThat(reaches(ROCE, "1 iwarp v2-ipv4")).contains("link layer iwarp");
    }

    @Test
    void aPeerWithoutThePathIsNotReached() {
        assertThat(transport.reaches(peer(Map.of("verbs", ROCE)), peer(Map.of())))
                .contains("none of ours");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "1 roce",
                "1 roce ",
                "1  roce v2-ipv4",
                "1 roce v2-ipv4 ",
                "1 roce v2-ipv4\n",
                "99999999999999999999 roce v1",
                "-1 roce v1",
                "1 ROCE v1",
                "1 roce \u0000",
                "1 roce 0123456789012345678901234567890123456789"
            })
    void whatIsNoCardIsRefusedWithoutRepeatingIt(String card) {
        assertThat(reaches(ROCE, card)).isEqualTo("the cards of both sides do not match: a card that is none of ours");
    }
}
