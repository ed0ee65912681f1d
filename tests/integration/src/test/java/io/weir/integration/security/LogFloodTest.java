package io.weir.integration.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.core.Message;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a peer can have a node write into its log, as often as it likes. */
class LogFloodTest implements OnRoute {

    @Test
    void messagesWhoseHandlerFails(Nodes nodes) {
        Pair pair = nodes.pair();
        AtomicInteger failed = new AtomicInteger();
        var failing = pair.far().answer("fails", message -> {
            String text = message.text();
            message.release();
            failed.incrementAndGet();
            throw new IllegalArgumentException("no number: " + text);
        });
        try (LogLines logged = LogLines.everything()) {
            for (int i = 0; i < 100; i++) {
                pair.peer()
                        .tell("fails", Message.of("1\nWARN  all is lost " + "x".repeat(10_000)))
                        .block(Patience.LIMIT);
            }
            Patience.until("all have failed", () -> failed.get() == 100);
            nodes.connect(nodes.start("bystander"), pair.far()).settle();

            assertThat(logged.of(Level.WARN).stream().filter(line -> line.contains("failed here")))
                    .hasSizeLessThan(20)
                    .allSatisfy(line -> assertThat(line).doesNotContain("\n").hasSizeLessThan(2000));
        }
        failing.dispose();
    }

    @Test
    void sessionsThatBeginAndEnd(Nodes nodes) {
        Node far = nodes.start(route().spec("far").build());
        Node near = nodes.start(route().spec("near").build());
        int sessions = 400;
        try (LogLines logged = LogLines.everything()) {
            for (int i = 0; i < sessions; i++) {
                nodes.connect(near, far).peer().close().block(Patience.LIMIT);
            }

            assertThat(logged.of(Level.INFO).stream()
                            .filter(line -> line.contains(near.id().name())
                                    || line.contains(far.id().name())))
                    .isNotEmpty()
                    // Both nodes together; each session has several lines.
                    .hasSizeLessThan(2 * (200 + 100));
        }
    }
}
