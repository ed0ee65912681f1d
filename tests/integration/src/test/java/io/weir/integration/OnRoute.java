package io.weir.integration;

import io.weir.tck.ResourceCheck;
import io.weir.tck.Seed;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test that runs over one path, and leaves nothing behind. */
@ExtendWith({ResourceCheck.class, Payloads.Check.class, DroppedSignals.class, Nodes.Extension.class, Seed.class})
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public interface OnRoute {
    /** The path of all nodes that the test starts. */
    default Route route() {
        return Route.TCP;
    }

    /** Whether its nodes reach each other through a gateway only. */
    default boolean throughGateway() {
        return false;
    }
}
