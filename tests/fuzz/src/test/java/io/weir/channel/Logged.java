package io.weir.channel;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What the product logs, instead of writing it: errors are failures, and no line may have what a peer put into it. */
public final class Logged extends AppenderBase<ILoggingEvent> {

    private static final Logged ALL = install();

    private final List<String> wrong = new ArrayList<>();

    private static Logged install() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        Logged all = new Logged();
        all.setContext(context);
        all.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(all);
        return all;
    }

    @Override
    protected void append(ILoggingEvent event) {
        String text = event.getFormattedMessage();
        if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            wrong.add("logged as an error: " + text + " " + event.getThrowableProxy());
        } else if (!isHarmless(text)) {
            wrong.add("logged with control characters: " + text);
        }
    }

    public static boolean isHarmless(String text) {
        return text.chars().noneMatch(Character::isISOControl);
    }

    /** From now on. */
    public static void begin() {
        ALL.wrong.clear();
    }

    /** What was wrong since the beginning. */
    public static List<String> wrong() {
        return ALL.wrong;
    }
}
