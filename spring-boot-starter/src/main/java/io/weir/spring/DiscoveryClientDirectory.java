package io.weir.spring;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RareLog;
import io.weir.service.directory.Member;
import io.weir.service.directory.MemberEvent;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Shows the instances that Spring Cloud knows. An instance is one of Weir's if its metadata has {@value #ADDRESS}:
 * where its node listens, in a form that {@link PeerAddress#parse} reads, one or several between commas. {@value #PORT}
 * names the port that serves it, else it has the name of the service. Other metadata are its attributes. Who answers
 * there is not known: its node is a stand-in.
 *
 * <p>It only reads: what is to be found is registered by Spring Cloud itself. Of nodes Spring Cloud knows nothing, so
 * there are no members. The client is asked periodically while somebody listens; what it knew last counts while it
 * fails. Signals come on threads of Reactor, which must not be blocked.
 */
public final class DiscoveryClientDirectory implements ServiceDirectory {

    /** The metadata that says where an instance's node listens. */
    public static final String ADDRESS = "weir.address";

    /** The metadata that says which port serves it. */
    public static final String PORT = "weir.port";

    /** The metadata that says, by {@code true}, that a client has to know a password. */
    public static final String PASSWORD = "weir.password";

    private static final Logger LOG = LoggerFactory.getLogger(DiscoveryClientDirectory.class);

    /** Who is asked often still takes its time. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ReactiveDiscoveryClient client;
    private final Duration refresh;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private final RareLog complaints = new RareLog(LOG, System::nanoTime);

    /** @param refresh how often the client is asked, from 1 ms; it may take as long to answer, and 5 s at least */
    public DiscoveryClientDirectory(ReactiveDiscoveryClient client, Duration refresh) {
        this.client = Objects.requireNonNull(client, "client");
        this.refresh = refresh;
        if (refresh.toMillis() < 1) {
            throw new Misconfigured("a discovery client can't be asked every " + refresh + ": 1 ms is the least");
        }
    }

    /** Fails with {@link Misconfigured}. */
    @Override
    public Mono<Registration> announce(ServiceInstance instance) {
        return readOnly("announce '" + instance.service() + "'");
    }

    /** Fails with {@link Misconfigured}. */
    @Override
    public Mono<Void> attributes(Map<String, String> attributes) {
        return readOnly("tell attributes");
    }

    private static <T> Mono<T> readOnly(String what) {
        return Mono.error(() -> new Misconfigured("a directory over Spring Cloud can't " + what
                + ": let Spring Cloud register the application, with " + ADDRESS + " in its metadata"));
    }

    /** As its contract has it; the first list comes when the client has answered. */
    @Override
    public Flux<List<ServiceInstance>> instances(String service) {
        return Flux.interval(Duration.ZERO, refresh)
                .onBackpressureDrop()
                .concatMap(tick -> ask(service), 1)
                .distinctUntilChanged()
                .onBackpressureLatest()
                .takeUntilOther(closed.asMono());
    }

    private Mono<List<ServiceInstance>> ask(String service) {
        return Flux.defer(() -> client.getInstances(service))
                .timeout(refresh.compareTo(PATIENCE) < 0 ? PATIENCE : refresh)
                .collectList()
                .map(found ->
                        found.stream().flatMap(each -> instance(service, each)).toList())
                .onErrorResume(error -> {
                    complaints.warn("Spring Cloud can't tell who serves '" + service + "': " + error);
                    return Mono.empty();
                });
    }

    private Stream<ServiceInstance> instance(String service, org.springframework.cloud.client.ServiceInstance found) {
        Map<String, String> metadata = found.getMetadata();
        String addresses = metadata == null ? null : metadata.get(ADDRESS);
        if (metadata == null || addresses == null) {
            return Stream.empty();
        }
        try {
            List<PeerAddress> parsed = Arrays.stream(addresses.split(",", -1))
                    .map(String::strip)
                    .map(PeerAddress::parse)
                    .toList();
            return Stream.of(new ServiceInstance(
                    service,
                    ServiceInstance.at(service, parsed.get(0)).node(),
                    parsed,
                    metadata.getOrDefault(PORT, service),
                    Boolean.parseBoolean(metadata.get(PASSWORD)),
                    List.of(),
                    others(metadata)));
        } catch (Misconfigured e) {
            complaints.warn(
                    "An instance of '" + service + "' is passed over, its metadata " + ADDRESS + ": " + e.getMessage());
            return Stream.empty();
        }
    }

    private static Map<String, String> others(Map<String, String> metadata) {
        return metadata.entrySet().stream()
                .filter(entry -> entry.getValue() != null
                        && !List.of(ADDRESS, PORT, PASSWORD).contains(entry.getKey()))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Nothing, until this is closed. */
    @Override
    public Flux<MemberEvent> members() {
        return closed.asMono().thenMany(Flux.empty());
    }

    /** Nobody. */
    @Override
    public List<Member> snapshot() {
        return List.of();
    }

    @Override
    public Mono<Void> close() {
        return Mono.fromRunnable(closed::tryEmitEmpty);
    }
}
