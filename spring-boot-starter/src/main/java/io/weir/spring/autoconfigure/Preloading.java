package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.Environment;

/**
 * Loads what a node needs, once, while the application's own thread is busy with other things, where there is a
 * processor to do so.
 */
final class Preloading {

    private static final Logger LOG = LoggerFactory.getLogger(Preloading.class);

    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private Preloading() {}

    static void begin(Environment environment) {
        boolean useful = Runtime.getRuntime().availableProcessors() > 1
                && !NativeDetector.inNativeImage()
                && !Boolean.getBoolean("spring.aot.processing");
        if (useful
                && environment.getProperty("weir.enabled", "true").equalsIgnoreCase("true")
                && BEGUN.compareAndSet(false, true)) {
            Thread thread = new Thread(() -> load(environment), "weir-preload");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void load(Environment environment) {
        try {
            WeirSettings settings = WeirSettings.of(environment);
            Map<String, String> addresses = settings.addresses();
            NodeSpec spec = NodeSpec.builder()
                    .properties(settings.ofNode(addresses.keySet()))
                    .build();
            var unused = Node.preload(spec).subscribe();
        } catch (RuntimeException | LinkageError e) {
            // Errors of the settings come when the application reads them.
            LOG.debug("Nothing is loaded ahead", e);
        }
    }
}
