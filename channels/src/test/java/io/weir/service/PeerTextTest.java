package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerId;
import io.weir.core.Refused;
import io.weir.service.gateway.JoinedPair;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a peer writes reaches logs and exceptions without what a terminal would obey. */
class PeerTextTest {

    private static final String BAD = "a\u009b2J\u202eb\u2066c\u2028d\u0085e\u001bf";
    private static final String SHOWN = "a?2J?b?c?d?e?f";

    @Test
    void whyAnInstanceCanNotBeReached() {
        assertThat(Roster.text(new Refused(BAD))).isEqualTo(SHOWN);
    }

    @Test
    void whomAGatewayJoins() {
        PeerId id = new PeerId(new UUID(1, 2), BAD, 1);
        assertThat(new JoinedPair(1, id, "tcp", id, "tcp", 0, 0, Instant.EPOCH, BAD).toString())
                .contains(SHOWN)
                .doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\\u0080-\\u009f\\u2028]");
    }
}
