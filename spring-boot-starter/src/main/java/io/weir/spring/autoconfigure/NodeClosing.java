package io.weir.spring.autoconfigure;

import io.weir.service.Services;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import reactor.core.publisher.Mono;

/** Closes the node behind everything that may call others: the web server is down, and its requests have ended. */
final class NodeClosing extends Part {

    /** That of the web server is {@code Integer.MAX_VALUE - 2048}, and what is lower stops later. */
    static final int PHASE = Integer.MAX_VALUE - 3072;

    private static final Logger LOG = LoggerFactory.getLogger(NodeClosing.class);

    /** A directory that does not answer keeps nobody. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final NodeStarter starter;
    private final ConfigurableListableBeanFactory beans;

    NodeClosing(NodeStarter starter, ConfigurableListableBeanFactory beans) {
        super(PHASE);
        this.starter = starter;
        this.beans = beans;
    }

    /** The services, unless nobody has wanted them: to make them now would open a directory only to close it. */
    static @Nullable Services services(ConfigurableListableBeanFactory beans) {
        for (String name : beans.getBeanNamesForType(Services.class, false, false)) {
            if (beans.getSingleton(name) instanceof Services made) {
                return made;
            }
        }
        return null;
    }

    @Override
    void begin() {
        // It is there for its end.
    }

    @Override
    Mono<Void> end() {
        return Mono.defer(() -> {
                    Services services = services(beans);
                    return services == null ? Mono.empty() : services.close().timeout(LIMIT);
                })
                .onErrorResume(error -> {
                    LOG.warn("The services could not be closed in good order: {}", error.getMessage());
                    return Mono.empty();
                })
                .then(Mono.defer(starter::close));
    }
}
