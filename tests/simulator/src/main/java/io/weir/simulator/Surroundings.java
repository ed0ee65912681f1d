package io.weir.simulator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.security.Security;
import java.util.concurrent.ThreadFactory;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Hooks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What simulations need of the whole process: chance and threads that they control, and ears for what is lost
 * otherwise.
 */
final class Surroundings {

    private Surroundings() {}

    /** From now on, for this process; a second call changes nothing. */
    static synchronized void prepare() {
        if (Security.getProvider(SeededRandom.PROVIDER) != null) {
            return;
        }
        listenToLogs();
        Security.insertProviderAt(new SeededRandom.Known(), 1);
        Schedulers.setFactory(new Here());
        Hooks.onErrorDropped(error -> dropped("an error that nobody takes", error));
        Hooks.onNextDropped(value -> dropped("a value that nobody takes", new IllegalStateException("" + value)));
        // What is made once for a process is made now, and takes no chance from the schedule that comes first.
        var unused = new Run(0).quickly();
    }

    private static void dropped(String what, Throwable error) {
        Simulation simulation = Simulation.currentOrNull();
        if (simulation == null) {
            throw new IllegalStateException(what, error);
        }
        simulation.violated(what, error);
    }

    private static void listenToLogs() {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Logger ours = (Logger) LoggerFactory.getLogger("io.weir");
        root.setLevel(Level.WARN);
        ours.setLevel(Level.ERROR);
        ours.setAdditive(false);
        AppenderBase<ILoggingEvent> errors = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                Simulation simulation = Simulation.currentOrNull();
                if (simulation != null) {
                    simulation.violated("an error was logged: " + event.getFormattedMessage());
                }
            }
        };
        errors.setContext(root.getLoggerContext());
        errors.start();
        ours.addAppender(errors);
    }

    /** Blocking work is done at once, by the simulation's own thread. */
    private static final class Here implements Schedulers.Factory {
        @Override
        public Scheduler newBoundedElastic(int threads, int tasks, ThreadFactory factory, int seconds) {
            return Schedulers.immediate();
        }
    }
}
