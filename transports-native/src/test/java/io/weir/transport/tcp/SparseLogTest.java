package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SparseLogTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.weir.test.sparse");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long now = 42;
    private final SparseLog log = new SparseLog(logger, () -> now);

    @BeforeEach
    void listen() {
        logger.setAdditive(false);
        logger.addAppender(lines);
        lines.start();
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void tellsTenAndThenHowMany() {
        for (int i = 0; i < 25; i++) {
            log.warn("trouble " + i);
        }
        assertThat(said()).hasSize(10).endsWith("trouble 9");
        now += Duration.ofMinutes(1).toNanos();
        log.warn("more {}");
        log.warn("again");
        assertThat(said()).hasSize(12).endsWith("more {} (and 15 more before that were not logged)", "again");
    }
}
