package io.weir.integration.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.integration.Child;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Patience;
import io.weir.integration.Stranger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A process that has no descriptors left: it says so, gives those back that nobody needs, and goes on. */
@EnabledOnOs(OS.LINUX)
@Tag("whole")
class DescriptorsTest implements OnRoute {

    /** A JVM with a node has some 150 to 200 open. */
    private static final int LIMIT = 300;

    private static Child few() {
        return Child.start(List.of("sh", "-c", "ulimit -n " + LIMIT + "; exec \"$@\"", "sh"), Scarce.class);
    }

    /** Strangers that say nothing take all that are left; meanwhile this is done, and then they are awaited. */
    private static void crowd(Child far, Runnable meanwhile) {
        List<Stranger> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < LIMIT + 50; i++) {
                crowd.add(Stranger.connect(far.address()));
            }
            Patience.until(
                    () -> "it says that it has none left: " + far.said(),
                    () -> far.said()
                            .contains("Too many open files; raise this process's limit of open files (ulimit -n)"));
            meanwhile.run();
            for (Stranger each : crowd) {
                each.awaitEnd();
                each.close();
            }
        } finally {
            crowd.forEach(Stranger::close);
        }
        assertThat(far.said()).doesNotContain("NoClassDefFoundError");
    }

    @Test
    void whoIsServedAlreadyDoesNotNotice(Nodes nodes) {
        Node near = nodes.start("near");
        try (Child far = few()) {
            Peer peer = Objects.requireNonNull(near.connect(far.address()).block(Patience.LIMIT));
            Pair pair = new Pair(near, near, peer);
            // A class that lies in a folder takes a descriptor when it is first used.
            pair.settle();
            crowd(far, pair::settle);
            pair.settle();
            assertThat(far.leave()).isZero();
        }
    }

    @Test
    void whoComesLaterIsLetIn(Nodes nodes) {
        Node near = nodes.start("near");
        try (Child far = few()) {
            crowd(far, () -> {});
            Peer peer = Objects.requireNonNull(near.connect(far.address()).block(Patience.LIMIT));
            new Pair(near, near, peer).settle();
            assertThat(far.leave()).isZero();
        }
    }
}
