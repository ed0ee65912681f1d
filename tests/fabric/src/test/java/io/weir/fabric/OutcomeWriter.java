package io.weir.fabric;

import io.weir.fabric.Outcome.Kind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes outcomes as they happen, each through to the file: the guest may die at any time. Also tells them to whoever
 * looks.
 */
final class OutcomeWriter implements TestExecutionListener {

    private final Writer file;
    private final Map<TestIdentifier, Long> begins = new HashMap<>();
    private final Runnable atFailure;
    private TestPlan plan;

    OutcomeWriter(Writer file) {
        this(file, () -> {});
    }

    /** @param atFailure what happens when one is written down */
    OutcomeWriter(Writer file, Runnable atFailure) {
        this.file = file;
        this.atFailure = atFailure;
    }

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        this.plan = plan;
    }

    @Override
    public void executionStarted(TestIdentifier identifier) {
        begins.put(identifier, System.nanoTime());
        if (identifier.isTest()) {
            write(identifier, Kind.STARTED, "");
        }
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        write(identifier, Kind.SKIPPED, reason);
    }

    /** Of a class only its own failure is of interest: then its tests have not even begun. */
    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        Throwable cause = result.getThrowable().orElse(null);
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (identifier.isTest()) {
                    write(identifier, Kind.PASSED, "");
                }
            }
            case ABORTED -> write(identifier, Kind.SKIPPED, cause == null ? "" : String.valueOf(cause.getMessage()));
            case FAILED -> {
                write(identifier, Kind.FAILED, cause == null ? "" : stackTrace(cause));
                atFailure.run();
            }
        }
    }

    private void write(TestIdentifier identifier, Kind kind, String detail) {
        Long begin = begins.get(identifier);
        Duration took = begin == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - begin);
        Deque<String> names = names(identifier);
        String container = names.removeFirst();
        String test = names.isEmpty() ? Outcome.WHOLE_CLASS : String.join(" ", names);
        try {
            file.write(new Outcome(container, test, kind, took, detail).toLine() + "\n");
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (kind != Kind.STARTED) {
            System.out.printf("%7.1f s  %-7s  %s %s%n", took.toMillis() / 1000.0, kind, container, test);
        }
    }

    /** From the class to the test. Above is the engine, which is of no interest unless it fails itself. */
    private Deque<String> names(TestIdentifier identifier) {
        Deque<String> names = new ArrayDeque<>();
        names.addFirst(identifier.getDisplayName());
        for (var parent = plan.getParent(identifier);
                parent.isPresent() && parent.get().getParentId().isPresent();
                parent = plan.getParent(parent.get())) {
            names.addFirst(parent.get().getDisplayName());
        }
        return names;
    }

    private static String stackTrace(Throwable cause) {
        StringWriter text = new StringWriter();
        cause.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }
}
