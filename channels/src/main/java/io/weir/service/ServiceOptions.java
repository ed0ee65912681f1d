package io.weir.service;

import io.weir.config.Password;
import io.weir.config.PathPolicy;
import io.weir.config.ServiceSettings;
import io.weir.core.Misconfigured;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a service is called. Immutable; prints no password.
 *
 * @param password what is proved to each instance, and by it; null: nothing is
 * @param balancer which instance takes a call
 * @param patience how long a call waits while no instance can be reached; 0 for one try, which it begins or joins
 * @param paths put over the paths of the node
 */
public record ServiceOptions(@Nullable Password password, Balancer balancer, Duration patience, PathPolicy paths) {

    /** @throws Misconfigured if the patience is negative */
    public ServiceOptions {
        Objects.requireNonNull(balancer, "balancer");
        Objects.requireNonNull(paths, "paths");
        if (patience.isNegative()) {
            throw new Misconfigured("a call can't wait " + patience.toMillis() + " ms for an instance:"
                    + " give it 0, for one try, or more");
        }
    }

    /** As the configuration says. */
    static ServiceOptions of(ServiceSettings settings) {
        Balancer balancer = switch (settings.balance()) {
            case ROUND_ROBIN -> Balancer.roundRobin();
            case LEAST_OUTSTANDING -> Balancer.leastOutstanding();
        };
        return new ServiceOptions(settings.password(), balancer, settings.patience(), PathPolicy.unchanged());
    }

    /** The same with this password. */
    public ServiceOptions withPassword(Password other) {
        return new ServiceOptions(other, balancer, patience, paths);
    }

    /** The same with this balancer. */
    public ServiceOptions withBalancer(Balancer other) {
        return new ServiceOptions(password, other, patience, paths);
    }

    /** The same with so much patience. */
    public ServiceOptions withPatience(Duration other) {
        return new ServiceOptions(password, balancer, other, paths);
    }

    /** The same over these paths. */
    public ServiceOptions withPaths(PathPolicy other) {
        return new ServiceOptions(password, balancer, patience, other);
    }
}
