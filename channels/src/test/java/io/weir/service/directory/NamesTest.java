package io.weir.service.directory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import org.junit.jupiter.api.Test;

/** What is written to a directory reaches logs and exceptions without what a terminal would obey. */
class NamesTest {

    @Test
    void aNameThatATerminalWouldObeyIsRefusedWithoutThat() {
        assertThatThrownBy(() -> Names.check("a service", "a\u009b2J\u202eb\u2066c\u2028d\u0085e\u001bf"))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("a service can't be called 'a?2J?b?c?d?e?f'");
    }
}
