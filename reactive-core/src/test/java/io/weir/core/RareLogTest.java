package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RareLogTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.weir.test.rare");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private long now = 42;
    private final RareLog log = new RareLog(logger, () -> now);

    @BeforeEach
    void listen() {
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        lines.start();
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    private void pass(long seconds) {
        now += Duration.ofSeconds(seconds).toNanos();
    }

    private void warn(int times) {
        for (int i = 0; i < times; i++) {
            log.warn("trouble {} " + i);
        }
    }

    private List<String> written() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void whatNobodyWantsToReadIsNotAskedForAndDoesNotCount() {
        for (int i = 0; i < 1_000; i++) {
            log.debug(() -> {
                throw new AssertionError("asked for");
            });
        }
        assertThat(written()).isEmpty();
        logger.setLevel(Level.DEBUG);
        for (int i = 0; i < 12; i++) {
            log.debug(() -> "line\nof a peer");
        }
        assertThat(written()).hasSize(10).noneMatch(line -> line.contains("\n") || line.contains("not written"));
        assertThat(lines.list).allMatch(line -> line.getLevel() == Level.DEBUG);
    }

    @Test
    void writesSomeAndCountsTheOthers() {
        warn(1_000);
        assertThat(written()).hasSize(10).startsWith("trouble {} 0").endsWith("trouble {} 9");
        pass(9);
        log.warn("more {}");
        log.warn("and more");
        assertThat(written()).hasSize(11).endsWith("more {} (not written before this: 990)");
        pass(3);
        log.warn("again");
        assertThat(written()).hasSize(12).endsWith("again (not written before this: 1)");
    }

    @Test
    void writesTenAMinuteHoweverManyThereAre() {
        warn(100);
        for (int second = 0; second < 60; second++) {
            pass(1);
            warn(100);
        }
        assertThat(written()).hasSize(20);
    }

    @Test
    void savesUpNoMoreThanWhatItBeganWith() {
        pass(100_000);
        warn(1_000);
        assertThat(written()).hasSize(10);
        pass(60);
        warn(1_000);
        assertThat(written()).hasSize(20);
    }

    @Test
    void anotherRate() {
        RareLog often = new RareLog(logger, () -> now, 2, Duration.ofSeconds(1));
        for (int second = 0; second < 5; second++) {
            for (int i = 0; i < 100; i++) {
                often.info("come and gone");
            }
            pass(1);
        }
        assertThat(written()).hasSize(6).endsWith("come and gone (not written before this: 99)");
        assertThat(lines.list.get(0).getLevel()).isEqualTo(Level.INFO);
    }

    /** What strangers say is all that many such lines have to tell. */
    @Test
    void whatDisturbsALogIsReplaced() {
        log.warn("a\n2026-01-01 INFO all is well \u009b2J\u202e\u2028");
        assertThat(written()).containsExactly("a?2026-01-01 INFO all is well ?2J??");
    }
}
