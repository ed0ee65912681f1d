package io.weir.config;

import io.weir.core.PeerAddress;
import io.weir.core.SettingText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table of what is set for each peer, port or service by its name, but for the paths of peers and ports.
 *
 * @param prefix of the properties, before the name
 * @param what a name is of
 * @param of all of them in a spec, by name
 * @param paths where its paths are in a builder; null if it has none
 * @param rows one for each other setting
 */
record NamedSettings<S>(
        String prefix,
        String what,
        Function<NodeSpec, Map<String, S>> of,
        @Nullable Paths paths,
        List<Row<S>> rows) {

    static final NamedSettings<PeerSpec> PEERS = new NamedSettings<>(
            "weir.peers.",
            "peer",
            NodeSpec::peers,
            (spec, name, change) -> spec.peerPaths(name, change.apply(spec.peerPaths(name))),
            List.of(
                    new Row<>(
                            "address",
                            (spec, name, set) -> spec.peerAddress(name, NodeSettings.address(set, set.text())),
                            peer -> peer.address().toString()),
                    new Row<>(
                            "repath",
                            (spec, name, set) ->
                                    spec.peerPaths(name, spec.peerPaths(name).with(set.repath())),
                            peer -> word(peer.paths().repath(), null)),
                    new Row<>(
                            "connect",
                            (spec, name, set) -> spec.peerConnect(name, set.oneOf(PeerSpec.Connect.class)),
                            peer -> word(peer.connect(), NodeDefaults.PEER_CONNECT)),
                    new Row<>(
                            "wait",
                            (spec, name, set) -> spec.peerPatience(name, set.time()),
                            peer -> time(peer.patience(), NodeDefaults.PEER_PATIENCE)),
                    new Row<>(
                            "gateway",
                            (spec, name, set) -> spec.peerGateways(name, NodeSettings.addresses(set)),
                            peer -> addresses(peer.gateways()))));

    static final NamedSettings<PortSpec> PORTS = new NamedSettings<>(
            "weir.ports.",
            "port",
            NodeSpec::ports,
            (spec, name, change) -> spec.port(
                    name, spec.port(name).with(change.apply(spec.port(name).paths()))),
            List.of(new Row<>(
                    "allow",
                    (spec, name, set) -> spec.port(name, spec.port(name).allowing(set.principals())),
                    port -> port.allow() == null ? null : PortSpec.written(port.allow()))));

    static final NamedSettings<ServiceSettings> SERVICES = new NamedSettings<>(
            "weir.services.",
            "service",
            NodeSpec::services,
            null,
            List.of(
                    new Row<>(
                            "addresses",
                            (spec, name, set) ->
                                    spec.service(name, spec.service(name).withAddresses(NodeSettings.addresses(set))),
                            service -> addresses(service.addresses())),
                    new Row<>(
                            "password",
                            (spec, name, set) ->
                                    spec.service(name, spec.service(name).withPassword(set.password())),
                            service -> service.password() == null
                                            || service.password().file() != null
                                    ? null
                                    : "(not shown)"),
                    new Row<>(
                            "password-file",
                            (spec, name, set) ->
                                    spec.service(name, spec.service(name).withPassword(set.passwordOfFile())),
                            service -> service.password() == null
                                            || service.password().file() == null
                                    ? null
                                    : service.password().file().toString()),
                    new Row<>(
                            "wait",
                            (spec, name, set) ->
                                    spec.service(name, spec.service(name).withPatience(set.time())),
                            service -> time(service.patience(), NodeDefaults.SERVICE_PATIENCE)),
                    new Row<>(
                            "balance",
                            (spec, name, set) ->
                                    spec.service(name, spec.service(name).withBalance(set.oneOf(Balance.class))),
                            service -> word(service.balance(), NodeDefaults.SERVICE_BALANCE))));

    /**
     * One setting.
     *
     * @param name behind the name of the peer, port or service
     * @param into gives a builder the value of a text for this name
     * @param written the value as a text; null if it is as by default
     */
    record Row<S>(String name, Into into, Function<S, @Nullable String> written) {}

    /** See {@link Row#into}. */
    interface Into {
        NodeSpec.Builder put(NodeSpec.Builder builder, String name, Setting setting);
    }

    /** See {@link NamedSettings#paths}. */
    interface Paths {
        NodeSpec.Builder change(NodeSpec.Builder builder, String name, UnaryOperator<PathPolicy> change);
    }

    /** The row of this name, or null. */
    @Nullable
    Row<S> row(String name) {
        return rows.stream().filter(row -> row.name().equals(name)).findFirst().orElse(null);
    }

    /** Hands on every property and its value that differ from their default. */
    void write(NodeSpec spec, Consumer<String> to) {
        new TreeMap<>(of.apply(spec))
                .forEach((name, is) -> rows.forEach(row -> {
                    String value = row.written().apply(is);
                    if (value != null) {
                        to.accept(prefix + name + '.' + row.name() + '=' + value);
                    }
                }));
    }

    /** The properties of this name, for people. */
    List<String> properties(String name) {
        Stream<String> ofPaths = paths == null ? Stream.of() : Stream.of("transport.order", "transport.<path>");
        return Stream.concat(rows.stream().map(Row::name), ofPaths)
                .map(last -> prefix + name + '.' + last)
                .toList();
    }

    /** How the rows end the names of variables, as alternatives of a pattern. */
    String shapes() {
        return rows.stream().map(row -> EnvironmentNames.of(row.name())).collect(Collectors.joining("|"));
    }

    private static <E extends Enum<E>> @Nullable String word(@Nullable E value, @Nullable E standard) {
        return value == null || value == standard ? null : SettingText.word(value);
    }

    private static @Nullable String time(Duration value, Duration standard) {
        return value.equals(standard) ? null : SettingText.of(value);
    }

    private static @Nullable String addresses(List<PeerAddress> addresses) {
        return addresses.isEmpty() ? null : NodeSettings.join(addresses);
    }
}
