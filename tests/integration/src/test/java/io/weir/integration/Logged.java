package io.weir.integration;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What anything of Weir writes into the log, down to the finest level, until this is closed. */
final class Logged extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.weir");
    private final @Nullable Level before = logger.getLevel();
    private final boolean additive = logger.isAdditive();
    private final Queue<String> texts = new ConcurrentLinkedQueue<>();

    private Logged() {}

    static Logged everything() {
        Logged logged = new Logged();
        logged.start();
        logged.logger.setLevel(Level.TRACE);
        logged.logger.setAdditive(false);
        logged.logger.addAppender(logged);
        return logged;
    }

    @Override
    protected void append(ILoggingEvent event) {
        String stack = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        texts.add(event.getFormattedMessage() + stack);
    }

    /** Messages, with the stacks of what was thrown. */
    List<String> texts() {
        return List.copyOf(texts);
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setAdditive(additive);
        logger.setLevel(before);
        stop();
    }
}
