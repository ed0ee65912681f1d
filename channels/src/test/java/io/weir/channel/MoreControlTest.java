package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.ControlData;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MoreControlTest {

    private final ControlData given = ControlData.of("tag", "given").with("deadline", "5s");

    @Test
    void bothAreThere() {
        ControlData more = ControlData.of("trace", "1").with("user", "Zo\u00eb");
        assertThat(MoreControl.added(more, given).asMap())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("tag", "given", "deadline", "5s", "trace", "1", "user", "Zo\u00eb"));
    }

    @Test
    void whereTheyMeetTheAddedOneWins() {
        ControlData more = ControlData.of("tag", "added").with("deadline", "");
        assertThat(MoreControl.added(more, given).asMap())
                .containsExactlyInAnyOrderEntriesOf(Map.of("tag", "added", "deadline", ""));
    }

    @Test
    void nothingOnEitherSideChangesNothing() {
        assertThat(MoreControl.added(ControlData.empty(), given)).isEqualTo(given);
        assertThat(MoreControl.added(given, ControlData.empty())).isEqualTo(given);
        assertThat(MoreControl.added(ControlData.empty(), ControlData.empty()).isEmpty())
                .isTrue();
    }

    @Test
    void bytesStayAsTheyAreOnBothSides() {
        byte[] bytes = {(byte) 0xff, 0, (byte) 0xc0};
        assertThat(MoreControl.added(ControlData.empty().with("added", bytes), given)
                        .bytes("added"))
                .isEqualTo(bytes);
        ControlData all = MoreControl.added(ControlData.of("trace", "1"), given.with("bytes", bytes));
        assertThat(all.bytes("bytes")).isEqualTo(bytes);
        assertThat(all.get("trace")).isEqualTo("1");
    }
}
