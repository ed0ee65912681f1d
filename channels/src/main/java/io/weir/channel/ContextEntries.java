package io.weir.channel;

import io.weir.core.ControlData;
import io.weir.peer.Identity;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Sends chosen entries of the Reactor context with each call, and puts them into the context of what answers it:
 * {@code node.intercept(ContextEntries.of("tenant"))} on both sides. An entry goes on to the next node if a call is
 * made in that context.
 *
 * <p>Only texts are sent, of at most {@value #LONGEST} bytes in UTF-8; everything else is left out. Of what comes, only
 * the entries that were chosen here are taken, within the same bound, and without control characters. Who calls can
 * send whatever it likes: what must be true has to be proved, see {@link Identity}.
 */
public final class ContextEntries implements CallInterceptor {

    /** Of a value. An identifier is far shorter, and control data is sent with each call. */
    public static final int LONGEST = 512;

    private static final int MOST = 16;
    /** So that no control data of a user is taken for one. */
    private static final String PREFIX = "weir.context.";

    private final List<Entry> entries;

    private record Entry(String name, String key) {}

    private ContextEntries(List<Entry> entries) {
        this.entries = entries;
    }

    /**
     * These entries.
     *
     * @param names the keys in the Reactor context: 1 to 16, each of 1 to 200 bytes
     */
    public static ContextEntries of(String... names) {
        if (names.length == 0 || names.length > MOST) {
            throw new IllegalArgumentException(names.length + " names of context entries, and not 1 to " + MOST);
        }
        return new ContextEntries(Arrays.stream(names)
                .map(name -> new Entry(checked(name), PREFIX + name))
                .toList());
    }

    private static String checked(String name) {
        int length = name.getBytes(StandardCharsets.UTF_8).length;
        if (name.isBlank() || length > 200) {
            throw new IllegalArgumentException("'" + name + "' is no name of a context entry: 1 to 200 bytes");
        }
        return name;
    }

    private static boolean fits(@Nullable String value) {
        return value != null
                && value.length() <= LONGEST
                && value.getBytes(StandardCharsets.UTF_8).length <= LONGEST
                && value.chars().noneMatch(Character::isISOControl);
    }

    @Override
    public @Nullable OutgoingCall calling(CallDescription call, ContextView context) {
        ControlData control = ControlData.empty();
        for (Entry each : entries) {
            if (context.getOrDefault(each.name, null) instanceof String value && fits(value)) {
                control = control.with(each.key, value);
            }
        }
        return control.isEmpty() ? null : new Outgoing(control);
    }

    @Override
    public @Nullable IncomingCall called(CallDescription call, ControlData control) {
        if (control.isEmpty()) {
            return null;
        }
        Context values = Context.empty();
        for (Entry each : entries) {
            String value = control.get(each.key);
            if (value != null && fits(value)) {
                values = values.put(each.name, value);
            }
        }
        return values.isEmpty() ? null : new Incoming(values);
    }

    private record Outgoing(ControlData entries) implements OutgoingCall {

        @Override
        public ControlData sending(CallDescription call, ControlData control) {
            return MoreControl.added(entries, control);
        }
    }

    private record Incoming(Context values) implements IncomingCall {

        @Override
        public Context context(Context context) {
            return context.putAll(values.readOnly());
        }
    }

    /** The names. */
    @Override
    public String toString() {
        return "ContextEntries" + entries.stream().map(Entry::name).toList();
    }
}
