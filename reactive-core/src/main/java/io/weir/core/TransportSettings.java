package io.weir.core;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A node's settings for a transport or bootstrap.
 *
 * @param runtimeFolder the node's private folder for sockets, mode 0700, owned by our uid; see
 *     {@link RuntimeFolder}
 * @param nativeAllowed whether native code may be loaded at all ({@code weir.native})
 * @param options the options of this transport without their prefix; unknown names were refused before
 * @param tls how TCP connections are protected
 */
public record TransportSettings(Path runtimeFolder, boolean nativeAllowed, Map<String, String> options, TlsSpec tls) {

    public TransportSettings {
        options = Map.copyOf(options);
    }

    /** Without TLS. */
    public TransportSettings(Path runtimeFolder, boolean nativeAllowed, Map<String, String> options) {
        this(runtimeFolder, nativeAllowed, options, TlsSpec.OFF);
    }

    /** An integer option within bounds, with an optional suffix k, m or g (powers of 1024). */
    public int size(String option, int otherwise, int least, int most) {
        return (int) longSize(option, otherwise, least, most);
    }

    /** As {@link #size}, for what may be more than 2 GiB. */
    public long longSize(String option, long otherwise, long least, long most) {
        String text = options.get(option);
        if (text == null) {
            return otherwise;
        }
        long value = read(option, text, SettingText::size);
        if (value < least || value > most) {
            throw new Misconfigured(option + "=" + text + " is out of range: from " + least + " to " + most + " bytes");
        }
        return value;
    }

    /** A switch: {@code on}, {@code true}, {@code off} or {@code false}. */
    public boolean flag(String option, boolean otherwise) {
        String text = options.get(option);
        return text == null ? otherwise : read(option, text, SettingText::flag);
    }

    /** A time within bounds, written as {@code 500ms}, {@code 5s}, {@code 2m} or {@code 1h}. */
    public Duration time(String option, Duration otherwise, Duration least, Duration most) {
        String text = options.get(option);
        if (text == null) {
            return otherwise;
        }
        Duration value = read(option, text, SettingText::time);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new Misconfigured(option + "=" + text + " is out of range: from " + SettingText.of(least) + " to "
                    + SettingText.of(most));
        }
        return value;
    }

    /** Networks with commas between them; none if it is not set. */
    public List<Network> networks(String option) {
        String text = options.getOrDefault(option, "");
        List<Network> networks = new ArrayList<>();
        for (String each : text.split(",")) {
            Network network = Network.read(each.trim());
            if (network != null) {
                networks.add(network);
            } else if (!each.isBlank()) {
                throw new Misconfigured(option + "=" + text + " can't be used: '" + each.trim()
                        + "' is no network; write such as 10.1.0.0/16, several with commas between them");
            }
        }
        return List.copyOf(networks);
    }

    private static <T> T read(String option, String text, Function<String, T> form) {
        try {
            return form.apply(text);
        } catch (IllegalArgumentException e) {
            throw new Misconfigured(option + "=" + text + " is not " + e.getMessage());
        }
    }
}
