package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RareLogTest {

    private long now;

    @Test
    void writesSomeAndCountsTheOthers() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.weir.test.rare");
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        logger.addAppender(written);
        logger.setAdditive(false);
        RareLog log = new RareLog(logger, () -> now);

        for (int i = 0; i < 1_000; i++) {
            log.warn("it happened {}");
        }
        assertThat(written.list).hasSize(10);
        assertThat(written.list.get(0).getFormattedMessage()).isEqualTo("it happened {}");

        now += Duration.ofSeconds(15).toNanos();
        log.warn("again");
        log.warn("again");
        assertThat(written.list).hasSize(11);
        assertThat(written.list.get(10).getFormattedMessage())
                .isEqualTo("again (990 warnings like this were not written)");
    }
}
