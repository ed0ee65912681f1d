package io.weir.tck;

import io.weir.core.Bootstrap;
import io.weir.core.Loop;
import io.weir.core.RuntimeFolder;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import java.util.Map;

/**
 * All that a {@link Bootstrap} over a byte stream promises: its loops, its connections, and what it does with
 * strangers.
 */
public interface BootstrapContract extends LoopContract, ListeningContract, HostilePeerContract {

    /** The one on the class path. */
    default Bootstrap bootstrap() {
        return Paths.bootstrap();
    }

    /** Whether it may load native code. */
    default boolean nativeAllowed() {
        return true;
    }

    @Override
    default BootstrapContract contract() {
        return this;
    }

    @Override
    default Loop newLoop(String name, Waiting waiting) {
        return bootstrap()
                .newLoop(name, waiting, new TransportSettings(RuntimeFolder.standard(), nativeAllowed(), Map.of()));
    }
}
