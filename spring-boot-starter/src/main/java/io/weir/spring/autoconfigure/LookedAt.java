package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.config.NodeSpec;
import io.weir.config.PeerSpec;
import io.weir.service.Services;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.gateway.Gateway;
import io.weir.spring.WeirStatus;
import io.weir.spring.autoconfigure.WeirProperties.PeerSettings;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Asks only beans that are there, so that who looks at an application while it starts neither waits for the node nor
 * makes it.
 */
final class LookedAt implements WeirStatus, DisposableBean {

    private final ConfigurableListableBeanFactory beans;
    private final NodeSpec spec;
    private final ObjectProvider<WeirProperties> properties;
    private final ConcurrentMap<String, Watch> watched = new ConcurrentHashMap<>();
    private final Disposable.Composite watching = Disposables.composite();

    /**
     * How many instances of a service there are. A directory may need a while to answer, so it is listened to from the
     * first question on.
     */
    private static final class Watch {
        private volatile OptionalInt instances = OptionalInt.empty();

        void now(List<ServiceInstance> all) {
            instances = OptionalInt.of(all.size());
        }
    }

    LookedAt(ConfigurableListableBeanFactory beans, NodeSpec spec, ObjectProvider<WeirProperties> properties) {
        this.beans = beans;
        this.spec = spec;
        this.properties = properties;
    }

    @Override
    public Optional<Node> node() {
        return there(Node.class).findFirst();
    }

    @Override
    public Optional<Services> services() {
        return there(Services.class).findFirst();
    }

    @Override
    public List<Gateway> gateways() {
        return there(Gateway.class).toList();
    }

    private <T> Stream<T> there(Class<T> type) {
        return Arrays.stream(beans.getBeanNamesForType(type, false, false))
                .filter(beans::containsSingleton)
                .map(beans::getSingleton)
                .filter(type::isInstance)
                .map(type::cast);
    }

    @Override
    public List<NamedPeer> peers() {
        Optional<Node> node = node();
        Map<String, PeerSettings> settings = properties.getObject().peers();
        Set<String> names = new TreeSet<>(settings.keySet());
        names.addAll(spec.peers().keySet());
        // Before the states: a service without any is reported to be away.
        Map<String, Peer> connections = new HashMap<>();
        node.ifPresent(ours -> ours.peerStates()
                .keySet()
                .forEach(name -> ours.connected(name).ifPresent(connection -> connections.put(name, connection))));
        Map<String, PeerState> states = node.map(Node::peerStates).orElseGet(Map::of);
        return names.stream()
                .map(name -> named(
                        name,
                        settings.get(name),
                        Optional.ofNullable(states.get(name)),
                        Optional.ofNullable(connections.get(name))))
                .toList();
    }

    private NamedPeer named(
            String name, @Nullable PeerSettings said, Optional<PeerState> state, Optional<Peer> connection) {
        PeerSpec at = spec.peers().get(name);
        String service = said == null ? null : said.service();
        return new NamedPeer(
                name,
                said == null ? at == null || at.connect() != PeerSpec.Connect.REQUIRED : said.mayBeAway(),
                service,
                at != null,
                state,
                connection,
                at == null ? instances(service) : OptionalInt.empty());
    }

    private OptionalInt instances(@Nullable String service) {
        Optional<Services> services = service == null ? Optional.empty() : services();
        return services.isEmpty() || service == null
                ? OptionalInt.empty()
                : watched.computeIfAbsent(service, name -> watch(name, services.get())).instances;
    }

    private Watch watch(String service, Services services) {
        Watch watch = new Watch();
        watching.add(services.directory()
                .instances(service)
                .subscribe(watch::now, error -> watch.instances = OptionalInt.empty()));
        return watch;
    }

    @Override
    public void destroy() {
        watching.dispose();
    }
}
