package io.weir.config;

import io.weir.config.NodeSetting.Form;
import io.weir.config.NodeSetting.Part;
import io.weir.config.NodeSetting.Value;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RuntimeFolder;
import io.weir.core.SettingText;
import io.weir.core.TlsSpec;
import io.weir.core.Waiting;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table of a node's settings that have one value: a row has its name, how it is written, its default, where it is
 * in a spec, and what it may be. The reasons of the defaults are in {@link NodeDefaults}.
 */
final class NodeSettings {

    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration SHORT = Duration.ofMillis(10);

    private static final Form<String> TEXT = new Form<>(Setting::text, text -> text);
    private static final Form<Integer> NUMBER = new Form<>(Setting::number, String::valueOf);
    private static final Form<Long> COUNT = new Form<>(Setting::count, String::valueOf);
    private static final Form<Long> SIZE = new Form<>(Setting::size, SettingText::ofSize);
    private static final Form<Integer> SMALL_SIZE = new Form<>(Setting::smallSize, bytes -> SettingText.ofSize(bytes));
    private static final Form<Duration> TIME = new Form<>(Setting::time, SettingText::of);
    private static final Form<Boolean> SWITCH = new Form<>(Setting::flag, on -> on ? "on" : "off");
    private static final Form<Path> FOLDER = path("folder");
    private static final Form<Path> FILE = path("file");
    private static final Form<List<String>> LIST =
            new Form<>(setting -> setting.list(text -> text), texts -> String.join(",", texts));
    private static final Form<String> HIDDEN = new Form<>(Setting::text, any -> "***");
    private static final Form<Secret> SECRET = new Form<>(Setting::secret, any -> "(not shown)");
    private static final Form<Secret> SECRET_OF_FILE = new Form<>(
            Setting::secretOfFile,
            secret -> secret.file() == null ? "(not shown)" : secret.file().toString());
    private static final Form<List<PeerAddress>> ADDRESSES = new Form<>(NodeSettings::addresses, NodeSettings::join);

    private static final List<NodeSetting<?>> ROWS = new ArrayList<>();

    static final Value<String> NAME =
            row("weir.name", TEXT, any -> NodeDefaults.name(), NodeSpec::name, NodeSpecRules::name);
    static final Value<List<PeerAddress>> LISTEN =
            row("weir.listen", ADDRESSES, any -> NodeDefaults.LISTEN, NodeSpec::listen, NodeSpecRules::listen);
    static final Value<Path> RUNTIME_FOLDER =
            row("weir.runtime-folder", FOLDER, any -> RuntimeFolder.standard(), NodeSpec::runtimeFolder);
    static final Value<Boolean> NATIVE =
            row("weir.native", SWITCH, any -> NodeDefaults.NATIVE_ALLOWED, NodeSpec::nativeAllowed);
    static final Value<Integer> LOOPS = number("weir.loops", NUMBER, NodeDefaults.LOOPS, NodeSpec::loops, 1, 256);
    static final Value<Waiting> WAITING =
            row("weir.waiting", words(Waiting.class), any -> NodeDefaults.WAITING, NodeSpec::waiting);

    static final Value<Long> WINDOW_ITEMS = number(
            "weir.window.items",
            COUNT,
            NodeDefaults.WINDOW_ITEMS,
            spec -> spec.windows().items(),
            1,
            1L << 30);
    static final Value<Long> WINDOW_BYTES = bytes(
            "weir.window.bytes",
            SIZE,
            NodeDefaults.WINDOW_BYTES,
            spec -> spec.windows().bytes(),
            64L << 10,
            NodeSpecRules.TERABYTE);
    /** Its range ends with {@link #WINDOW_ITEMS}, so that the spec checks it. */
    static final Value<Long> WINDOW_INITIAL = row(
            "weir.window.initial",
            COUNT,
            said -> Math.min(NodeDefaults.INITIAL_ITEMS, said.get(WINDOW_ITEMS)),
            spec -> spec.windows().initial());

    static final Value<Integer> MESSAGE_MAX = bytes(
            "weir.message.max",
            SMALL_SIZE,
            NodeDefaults.MAX_MESSAGE,
            spec -> spec.memory().maxMessage(),
            1024,
            Integer.MAX_VALUE);
    /** Its range begins with {@link #MESSAGE_MAX}, so that the spec checks it. */
    static final Value<Long> NODE_BYTES = row(
            "weir.node.bytes",
            SIZE,
            any -> NodeDefaults.NODE_BYTES,
            spec -> spec.memory().nodeBytes());

    static final Value<Long> MEMORY_MAX = row(
            "weir.memory.max",
            SIZE,
            any -> NodeDefaults.MEMORY_MAX,
            spec -> spec.memory().max(),
            bytes -> {
                if (bytes != 0) {
                    NodeSpecRules.sizes("weir.memory.max", bytes, 16 << 20, NodeSpecRules.TERABYTE);
                }
            });

    static final Value<Duration> CONNECT_TIMEOUT = time(
            "weir.timeout.connect",
            NodeDefaults.CONNECT_TIMEOUT,
            spec -> spec.timeouts().connect(),
            MILLISECOND);
    static final Value<Duration> HANDSHAKE_TIMEOUT = time(
            "weir.timeout.handshake",
            NodeDefaults.HANDSHAKE_TIMEOUT,
            spec -> spec.timeouts().handshake(),
            MILLISECOND);
    static final Value<Duration> STEP_TIMEOUT = time(
            "weir.timeout.step",
            NodeDefaults.STEP_TIMEOUT,
            spec -> spec.timeouts().step(),
            MILLISECOND);
    static final Value<Duration> HEAD_START = time(
            "weir.timeout.head-start",
            NodeDefaults.HEAD_START,
            spec -> spec.timeouts().headStart(),
            AT_ONCE);
    static final Value<Duration> DRAIN_TIMEOUT = time(
            "weir.timeout.drain",
            NodeDefaults.DRAIN_TIMEOUT,
            spec -> spec.timeouts().drain(),
            AT_ONCE);
    /** The spec checks it together with {@link #KEEP_ALIVE_TIMEOUT}. */
    static final Value<Duration> KEEP_ALIVE_INTERVAL = row(
            "weir.keepalive.interval",
            TIME,
            any -> NodeDefaults.KEEP_ALIVE_INTERVAL,
            spec -> spec.keepAlive().interval());
    /** The spec checks it together with {@link #KEEP_ALIVE_INTERVAL}. */
    static final Value<Duration> KEEP_ALIVE_TIMEOUT = row(
            "weir.keepalive.timeout",
            TIME,
            any -> NodeDefaults.KEEP_ALIVE_TIMEOUT,
            spec -> spec.keepAlive().timeout());

    static final Value<Duration> RESUME_TIMEOUT = time(
            "weir.timeout.resume",
            NodeDefaults.RESUME_TIMEOUT,
            spec -> spec.timeouts().resume(),
            SHORT);
    static final Value<Duration> REJOIN_TIMEOUT = time(
            "weir.timeout.rejoin",
            NodeDefaults.REJOIN_TIMEOUT,
            spec -> spec.timeouts().rejoin(),
            AT_ONCE);
    static final Value<Long> RESUME_BYTES = bytes(
            "weir.resume.bytes",
            SIZE,
            NodeDefaults.RESUME_BYTES,
            spec -> spec.memory().resumeBytes(),
            64L << 10,
            NodeSpecRules.TERABYTE);
    static final Value<Duration> REPATH_PROBATION =
            time("weir.repath.probation", NodeDefaults.REPATH_PROBATION, NodeSpec::repathProbation, SHORT);
    static final Value<Duration> START_TIMEOUT = time(
            "weir.timeout.start",
            NodeDefaults.START_TIMEOUT,
            spec -> spec.timeouts().start(),
            MILLISECOND);

    static final Value<Integer> MAX_PEERS = number(
            "weir.max.peers",
            NUMBER,
            NodeDefaults.MAX_PEERS,
            spec -> spec.limits().peers(),
            1,
            1 << 20);
    static final Value<Integer> MAX_CHANNELS = number(
            "weir.max.channels",
            NUMBER,
            NodeDefaults.MAX_CHANNELS,
            spec -> spec.limits().channels(),
            1,
            1 << 20);
    static final Value<Integer> MAILBOX_ITEMS =
            number("weir.mailbox.items", NUMBER, NodeDefaults.MAILBOX_ITEMS, NodeSpec::mailboxItems, 1, 1 << 24);
    static final Value<Integer> MAX_HANDSHAKES = number(
            "weir.max.handshakes",
            NUMBER,
            NodeDefaults.MAX_HANDSHAKES,
            spec -> spec.limits().handshakes(),
            1,
            1 << 16);
    static final Value<Integer> MAX_HANDSHAKE_RATE = number(
            "weir.max.handshake-rate",
            NUMBER,
            NodeDefaults.MAX_HANDSHAKE_RATE,
            spec -> spec.limits().handshakeRate(),
            1,
            1_000_000);
    static final Value<Boolean> GATEWAY_ACCEPT =
            row("weir.gateway.accept", SWITCH, any -> NodeDefaults.GATEWAY_ACCEPT, NodeSpec::gatewayAccept);
    static final Value<DirectoryKind> DIRECTORY = row(
            "weir.directory",
            new Form<>(Setting::directory, SettingText::word),
            any -> NodeDefaults.DIRECTORY,
            NodeSpec::directory);
    static final Value<List<PeerAddress>> ADVERTISE =
            row("weir.advertise", ADDRESSES, any -> List.of(), NodeSpec::advertised, NodeSpecRules::advertised);

    static {
        part(
                "weir.repath",
                new Form<>(Setting::repath, SettingText::word),
                spec -> spec.paths().repath(),
                NodeSpec.Builder::repath);

        tls("weir.tls", SWITCH, TlsSpec::enabled, TlsSpec.Builder::enabled);
        tls("weir.tls.certificate", FILE, TlsSpec::certificate, TlsSpec.Builder::certificate);
        tls("weir.tls.key", FILE, TlsSpec::key, TlsSpec.Builder::key);
        tls("weir.tls.key-password", HIDDEN, TlsSpec::keyPassword, TlsSpec.Builder::keyPassword);
        tls("weir.tls.key-store", FILE, TlsSpec::keyStore, TlsSpec.Builder::keyStore);
        tls("weir.tls.key-store-password", HIDDEN, TlsSpec::keyStorePassword, TlsSpec.Builder::keyStorePassword);
        tls("weir.tls.trust", FILE, TlsSpec::trust, TlsSpec.Builder::trust);
        tls("weir.tls.trust-store", FILE, TlsSpec::trustStore, TlsSpec.Builder::trustStore);
        tls("weir.tls.trust-store-password", HIDDEN, TlsSpec::trustStorePassword, TlsSpec.Builder::trustStorePassword);
        tls("weir.tls.revocation-lists", FILE, TlsSpec::revocationLists, TlsSpec.Builder::revocationLists);
        tls("weir.tls.ocsp", SWITCH, TlsSpec::ocsp, TlsSpec.Builder::ocsp);
        tls("weir.tls.client-auth", words(TlsSpec.ClientAuth.class), TlsSpec::clientAuth, TlsSpec.Builder::clientAuth);
        tls("weir.tls.verify-host", SWITCH, TlsSpec::verifyHost, TlsSpec.Builder::verifyHost);
        tls("weir.tls.protocols", LIST, TlsSpec::protocols, TlsSpec.Builder::protocols);
        tls("weir.tls.reload", TIME, TlsSpec::reload, TlsSpec.Builder::reload);

        secret("weir.security.secret", SecuritySpec::secret, NodeSpec.Builder::secret);
        secret("weir.security.former-secret", SecuritySpec::formerSecret, NodeSpec.Builder::formerSecret);
        part(
                "weir.security.require",
                words(Requirement.class),
                spec -> spec.security().require(),
                NodeSpec.Builder::require);

        zooKeeper("connect", TEXT, ZooKeeperSpec::connect, ZooKeeperSpec::connect);
        zooKeeper("root", TEXT, ZooKeeperSpec::root, ZooKeeperSpec::root);
        zooKeeper("user", TEXT, ZooKeeperSpec::user, ZooKeeperSpec::user);
        zooKeeper("password-file", SECRET_OF_FILE, ZooKeeperSpec::password, ZooKeeperSpec::password);
        zooKeeper("timeout", TIME, ZooKeeperSpec::timeout, ZooKeeperSpec::timeout);
        zooKeeper("session", TIME, ZooKeeperSpec::session, ZooKeeperSpec::session);
    }

    private NodeSettings() {}

    /** All rows, in the order in which a spec prints them. */
    static List<NodeSetting<?>> all() {
        return Collections.unmodifiableList(ROWS);
    }

    /** Those that stand for themselves. */
    static Stream<Value<?>> values() {
        return ROWS.stream().<Value<?>>mapMulti((row, to) -> {
            if (row instanceof Value<?> value) {
                to.accept(value);
            }
        });
    }

    private static <T> void part(
            String name,
            Form<T> form,
            Function<NodeSpec, T> of,
            BiFunction<NodeSpec.Builder, T, NodeSpec.Builder> into) {
        ROWS.add(new Part<>(name, form, of, into));
    }

    private static <T> void tls(
            String name, Form<T> form, Function<TlsSpec, T> of, BiFunction<TlsSpec.Builder, T, TlsSpec.Builder> into) {
        part(
                name,
                form,
                spec -> of.apply(spec.tls()),
                (builder, value) -> builder.tls(building -> into.apply(building, value)));
    }

    private static <T> void zooKeeper(
            String name,
            Form<T> form,
            Function<ZooKeeperSpec, T> of,
            BiFunction<ZooKeeperSpec, T, ZooKeeperSpec> into) {
        part(
                "weir.directory.zookeeper." + name,
                form,
                spec -> of.apply(spec.zooKeeper()),
                (builder, value) -> builder.zooKeeper(former -> into.apply(former, value)));
    }

    /** In two rows: the secret itself, and the file in which it is. */
    private static void secret(
            String name,
            Function<SecuritySpec, @Nullable Secret> of,
            BiFunction<NodeSpec.Builder, Secret, NodeSpec.Builder> into) {
        part(name, SECRET, spec -> withFile(of.apply(spec.security()), false), into);
        part(name + "-file", SECRET_OF_FILE, spec -> withFile(of.apply(spec.security()), true), into);
    }

    private static @Nullable Secret withFile(@Nullable Secret secret, boolean file) {
        return secret != null && (secret.file() != null) == file ? secret : null;
    }

    /** With a value that may be used whatever it is, or whose rule is not its own. */
    private static <T> Value<T> row(
            String name, Form<T> form, Function<NodeSpec.Builder, T> standard, Function<NodeSpec, T> of) {
        return row(name, form, standard, of, any -> {});
    }

    private static <T> Value<T> row(
            String name,
            Form<T> form,
            Function<NodeSpec.Builder, T> standard,
            Function<NodeSpec, T> of,
            Consumer<T> rule) {
        Value<T> row = new Value<>(name, form, standard, of, rule);
        ROWS.add(row);
        return row;
    }

    private static <T extends Number> Value<T> number(
            String name, Form<T> form, T standard, Function<NodeSpec, T> of, long least, long most) {
        return row(name, form, any -> standard, of, value -> NodeSpecRules.range(name, value.longValue(), least, most));
    }

    private static <T extends Number> Value<T> bytes(
            String name, Form<T> form, T standard, Function<NodeSpec, T> of, long least, long most) {
        return row(name, form, any -> standard, of, value -> NodeSpecRules.sizes(name, value.longValue(), least, most));
    }

    /** Up to an hour. */
    private static Value<Duration> time(
            String name, Duration standard, Function<NodeSpec, Duration> of, Duration least) {
        return row(name, TIME, any -> standard, of, value -> NodeSpecRules.time(name, value, least));
    }

    private static <E extends Enum<E>> Form<E> words(Class<E> words) {
        return new Form<>(setting -> setting.oneOf(words), SettingText::word);
    }

    /** Between commas. */
    static List<PeerAddress> addresses(Setting setting) {
        return setting.list(text -> address(setting, text));
    }

    /** As {@link #addresses} reads them. */
    static String join(List<PeerAddress> addresses) {
        return addresses.stream().map(PeerAddress::toString).collect(Collectors.joining(","));
    }

    static PeerAddress address(Setting setting, String text) {
        try {
            return PeerAddress.parse(text);
        } catch (Misconfigured e) {
            throw new Misconfigured(setting.label() + ": " + e.getMessage(), e);
        }
    }

    private static Form<Path> path(String what) {
        return new Form<>(
                setting -> {
                    try {
                        return Path.of(setting.text());
                    } catch (InvalidPathException e) {
                        throw new Misconfigured(
                                setting.label() + '=' + setting.text() + " is not a " + what + "'s name: "
                                        + e.getReason(),
                                e);
                    }
                },
                Path::toString);
    }
}
