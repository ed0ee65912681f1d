package io.weir.spring.autoconfigure;

import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import io.weir.spring.autoconfigure.WeirSettings.Value;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Describes what kept Weir from starting, where that stands, and what to write instead. */
final class MisconfiguredFailureAnalyzer extends AbstractFailureAnalyzer<WeirException> {

    private final @Nullable Environment environment;

    MisconfiguredFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, WeirException cause) {
        boolean ours = cause instanceof Misconfigured || findCause(root, NotStarted.class) != null;
        return ours ? analysis(environment, cause, root) : null;
    }

    static FailureAnalysis analysis(@Nullable Environment environment, WeirException cause, Throwable root) {
        String text = String.valueOf(cause.getMessage());
        Value setting =
                environment == null ? null : WeirSettings.of(environment).namedIn(text);
        String where = setting == null || setting.origin() == null ? "" : "\n\nIt is set in " + setting.origin() + '.';
        int remedy = text.indexOf("; ");
        return new FailureAnalysis(
                sentence((cause instanceof Misconfigured
                                        ? "Weir can't be started as it is configured: "
                                        : "Weir can't be started: ")
                                + (remedy < 0 ? text : text.substring(0, remedy)))
                        + where,
                remedy < 0 ? action(cause) : sentence(capital(text.substring(remedy + 2))),
                root);
    }

    private static String action(WeirException cause) {
        if (cause instanceof Misconfigured) {
            return "Write one of the values that are allowed.";
        }
        return "Start what it waits for, or, where that is a peer, set weir.peers.<peer>.connect=eager to start "
                + "without it.";
    }

    private static String sentence(String text) {
        return text.endsWith(".") || text.endsWith("?") ? text : text + '.';
    }

    private static String capital(String text) {
        return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
