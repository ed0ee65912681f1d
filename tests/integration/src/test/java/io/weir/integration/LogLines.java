package io.weir.integration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What one logger, and those below it, say while this is open, down to the finest level and nowhere else. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final @Nullable Level before;
    private final boolean additive;

    public LogLines(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        additive = logger.isAdditive();
        logger.setLevel(Level.TRACE);
        logger.setAdditive(false);
        start();
        logger.addAppender(this);
    }

    /** Whatever Weir says. */
    public static LogLines everything() {
        return new LogLines("io.weir");
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    public List<String> of(Level level) {
        return events.stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** All of them, with the stacks of what was thrown. */
    public List<String> texts() {
        return events.stream()
                .map(event -> event.getFormattedMessage()
                        + (event.getThrowableProxy() == null
                                ? ""
                                : ThrowableProxyUtil.asString(event.getThrowableProxy())))
                .toList();
    }

    public boolean hasStackTraces() {
        return events.stream().anyMatch(event -> event.getThrowableProxy() != null);
    }

    /** Returns when a line of this level holds all of these texts. */
    public void await(Level level, String... texts) {
        Patience.until(
                () -> level + " with " + List.of(texts) + " among " + events,
                () -> of(level).stream().anyMatch(line -> Stream.of(texts).allMatch(line::contains)));
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setAdditive(additive);
        logger.setLevel(before);
        stop();
    }
}
