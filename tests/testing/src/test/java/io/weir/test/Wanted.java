package io.weir.test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.opentest4j.TestAbortedException;

/**
 * What the tests of networks need of their host; where it is not there they are skipped, or fail with
 * {@code -Dweir.fabric=required}.
 */
final class Wanted {

    private static final long LIMIT_NANOS = 60_000_000_000L;
    private static final long LOOK_AGAIN_NANOS = 1_000_000;

    private Wanted() {}

    static Networks networks() {
        try {
            return Networks.make();
        } catch (Networks.Unavailable e) {
            throw without(String.valueOf(e.getMessage()));
        }
    }

    static void compiler() throws InterruptedException {
        CProgram.missing().ifPresent(reason -> {
            throw without(reason);
        });
    }

    private static RuntimeException without(String reason) {
        if ("required".equals(System.getProperty("weir.fabric"))) {
            throw new AssertionError(reason);
        }
        return new TestAbortedException(reason);
    }

    /** Returns when it is so. */
    static void until(Supplier<String> what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within a minute: " + what.get());
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /** What a command says that ends by itself. */
    static String said(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                return lines.lines().reduce("", (before, line) -> before + line + '\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String namespaces() {
        return said(List.of("ip", "netns", "list"));
    }
}
