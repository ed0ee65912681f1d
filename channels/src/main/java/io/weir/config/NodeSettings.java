package io.weir.config;

import io.weir.config.NodeSetting.Form;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.SettingText;
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

/**
 * The table of a node's settings that have one value: a row has its name, how it is written, what it may be, and
 * where it is in a spec and its builder. Defaults and their reasons are in {@link NodeDefaults}.
 */
final class NodeSettings {

    private static final long TERABYTE = 1L << 40;

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
    private static final Form<Path> FOLDER = new Form<>(NodeSettings::folder, Path::toString);
    private static final Form<List<PeerAddress>> ADDRESSES = new Form<>(NodeSettings::addresses, NodeSettings::join);

    private static final List<NodeSetting<?>> ROWS = new ArrayList<>();

    static final NodeSetting<String> NAME =
            row("weir.name", TEXT, NodeSpec::name, NodeSpec.Builder::name, NodeSpecRules::name);
    static final NodeSetting<List<PeerAddress>> LISTEN =
            row("weir.listen", ADDRESSES, NodeSpec::listen, NodeSpec.Builder::listen, NodeSpecRules::listen);
    static final NodeSetting<Path> RUNTIME_FOLDER =
            row("weir.runtime-folder", FOLDER, NodeSpec::runtimeFolder, NodeSpec.Builder::runtimeFolder);
    static final NodeSetting<Boolean> NATIVE =
            row("weir.native", SWITCH, NodeSpec::nativeAllowed, NodeSpec.Builder::nativeAllowed);
    static final NodeSetting<Integer> LOOPS =
            number("weir.loops", NUMBER, NodeSpec::loops, NodeSpec.Builder::loops, 1, 256);
    static final NodeSetting<Waiting> WAITING =
            row("weir.waiting", words(Waiting.class), NodeSpec::waiting, NodeSpec.Builder::waiting);

    static final NodeSetting<Long> WINDOW_ITEMS =
            number("weir.window.items", COUNT, NodeSpec::windowItems, NodeSpec.Builder::windowItems, 1, 1L << 30);
    static final NodeSetting<Long> WINDOW_BYTES = number(
            "weir.window.bytes", SIZE, NodeSpec::windowBytes, NodeSpec.Builder::windowBytes, 64L << 10, TERABYTE);
    /** Its range ends with {@link #WINDOW_ITEMS}, so that the spec checks it. */
    static final NodeSetting<Long> WINDOW_INITIAL =
            row("weir.window.initial", COUNT, NodeSpec::initialItems, NodeSpec.Builder::initialItems);

    static final NodeSetting<Integer> MESSAGE_MAX = number(
            "weir.message.max",
            SMALL_SIZE,
            NodeSpec::maxMessage,
            NodeSpec.Builder::maxMessage,
            1024,
            Integer.MAX_VALUE);
    /** Its range begins with {@link #MESSAGE_MAX}, so that the spec checks it. */
    static final NodeSetting<Long> NODE_BYTES =
            row("weir.node.bytes", SIZE, NodeSpec::nodeBytes, NodeSpec.Builder::nodeBytes);

    static final NodeSetting<Long> MEMORY_MAX =
            row("weir.memory.max", SIZE, NodeSpec::memoryMax, NodeSpec.Builder::memoryMax, bytes -> {
                if (bytes != 0) {
                    NodeSpecRules.range("weir.memory.max", bytes, 16 << 20, TERABYTE);
                }
            });

    static final NodeSetting<Duration> CONNECT_TIMEOUT =
            time("weir.timeout.connect", NodeSpec::connectTimeout, NodeSpec.Builder::connectTimeout, MILLISECOND);
    static final NodeSetting<Duration> HANDSHAKE_TIMEOUT =
            time("weir.timeout.handshake", NodeSpec::handshakeTimeout, NodeSpec.Builder::handshakeTimeout, MILLISECOND);
    static final NodeSetting<Duration> STEP_TIMEOUT =
            time("weir.timeout.step", NodeSpec::stepTimeout, NodeSpec.Builder::stepTimeout, MILLISECOND);
    static final NodeSetting<Duration> HEAD_START =
            time("weir.timeout.head-start", NodeSpec::headStart, NodeSpec.Builder::headStart, AT_ONCE);
    static final NodeSetting<Duration> DRAIN_TIMEOUT =
            time("weir.timeout.drain", NodeSpec::drainTimeout, NodeSpec.Builder::drainTimeout, AT_ONCE);
    /** The spec checks it together with {@link #KEEP_ALIVE_TIMEOUT}. */
    static final NodeSetting<Duration> KEEP_ALIVE_INTERVAL =
            row("weir.keepalive.interval", TIME, NodeSpec::keepAliveInterval, NodeSpec.Builder::keepAliveInterval);
    /** The spec checks it together with {@link #KEEP_ALIVE_INTERVAL}. */
    static final NodeSetting<Duration> KEEP_ALIVE_TIMEOUT =
            row("weir.keepalive.timeout", TIME, NodeSpec::keepAliveTimeout, NodeSpec.Builder::keepAliveTimeout);

    static final NodeSetting<Duration> RESUME_TIMEOUT =
            time("weir.timeout.resume", NodeSpec::resumeTimeout, NodeSpec.Builder::resumeTimeout, SHORT);
    static final NodeSetting<Duration> REJOIN_TIMEOUT =
            time("weir.timeout.rejoin", NodeSpec::rejoinTimeout, NodeSpec.Builder::rejoinTimeout, AT_ONCE);
    static final NodeSetting<Long> RESUME_BYTES = number(
            "weir.resume.bytes", SIZE, NodeSpec::resumeBytes, NodeSpec.Builder::resumeBytes, 64L << 10, TERABYTE);
    static final NodeSetting<Duration> REPATH_PROBATION =
            time("weir.repath.probation", NodeSpec::repathProbation, NodeSpec.Builder::repathProbation, SHORT);
    static final NodeSetting<Duration> START_TIMEOUT =
            time("weir.timeout.start", NodeSpec::startTimeout, NodeSpec.Builder::startTimeout, MILLISECOND);

    static final NodeSetting<Integer> MAX_PEERS =
            number("weir.max.peers", NUMBER, NodeSpec::maxPeers, NodeSpec.Builder::maxPeers, 1, 1 << 20);
    static final NodeSetting<Integer> MAX_CHANNELS =
            number("weir.max.channels", NUMBER, NodeSpec::maxChannels, NodeSpec.Builder::maxChannels, 1, 1 << 20);
    static final NodeSetting<Integer> MAILBOX_ITEMS =
            number("weir.mailbox.items", NUMBER, NodeSpec::mailboxItems, NodeSpec.Builder::mailboxItems, 1, 1 << 24);
    static final NodeSetting<Integer> MAX_HANDSHAKES =
            number("weir.max.handshakes", NUMBER, NodeSpec::maxHandshakes, NodeSpec.Builder::maxHandshakes, 1, 1 << 16);
    static final NodeSetting<Integer> MAX_HANDSHAKE_RATE = number(
            "weir.max.handshake-rate",
            NUMBER,
            NodeSpec::maxHandshakeRate,
            NodeSpec.Builder::maxHandshakeRate,
            1,
            1_000_000);
    static final NodeSetting<Boolean> GATEWAY_ACCEPT =
            row("weir.gateway.accept", SWITCH, NodeSpec::gatewayAccept, NodeSpec.Builder::gatewayAccept);
    static final NodeSetting<DirectoryKind> DIRECTORY = row(
            "weir.directory",
            new Form<>(Setting::directory, SettingText::word),
            NodeSpec::directory,
            NodeSpec.Builder::directory);
    static final NodeSetting<List<PeerAddress>> ADVERTISE = row(
            "weir.advertise", ADDRESSES, NodeSpec::advertised, NodeSpec.Builder::advertise, NodeSpecRules::advertised);

    private NodeSettings() {}

    /** All rows, in the order in which a spec prints them. */
    static List<NodeSetting<?>> all() {
        return Collections.unmodifiableList(ROWS);
    }

    /** With a value that may be used whatever it is, or whose rule is not its own. */
    private static <T> NodeSetting<T> row(
            String name,
            Form<T> form,
            Function<NodeSpec, T> of,
            BiFunction<NodeSpec.Builder, T, NodeSpec.Builder> into) {
        return row(name, form, of, into, any -> {});
    }

    private static <T> NodeSetting<T> row(
            String name,
            Form<T> form,
            Function<NodeSpec, T> of,
            BiFunction<NodeSpec.Builder, T, NodeSpec.Builder> into,
            Consumer<T> rule) {
        NodeSetting<T> row = new NodeSetting<>(name, form, of, into, rule);
        ROWS.add(row);
        return row;
    }

    private static <T extends Number> NodeSetting<T> number(
            String name,
            Form<T> form,
            Function<NodeSpec, T> of,
            BiFunction<NodeSpec.Builder, T, NodeSpec.Builder> into,
            long least,
            long most) {
        return row(name, form, of, into, value -> NodeSpecRules.range(name, value.longValue(), least, most));
    }

    /** Up to an hour. */
    private static NodeSetting<Duration> time(
            String name,
            Function<NodeSpec, Duration> of,
            BiFunction<NodeSpec.Builder, Duration, NodeSpec.Builder> into,
            Duration least) {
        return row(name, TIME, of, into, value -> NodeSpecRules.time(name, value, least));
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

    private static Path folder(Setting setting) {
        try {
            return Path.of(setting.text());
        } catch (InvalidPathException e) {
            throw new Misconfigured(
                    setting.label() + '=' + setting.text() + " is not a folder's name: " + e.getReason(), e);
        }
    }
}
