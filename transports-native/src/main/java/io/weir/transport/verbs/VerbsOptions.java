package io.weir.transport.verbs;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.RemoteOptions;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of this path.
 *
 * @param choice {@code device}, {@code port} and {@code gid-index}
 * @param retries {@code timeout} and {@code retry-count}
 * @param memory those that every path over RDMA has
 */
record VerbsOptions(Choice choice, Retries retries, RemoteOptions memory) {

    /** Whatever is active. */
    static final String ANY_DEVICE = "";

    static final int ANY = -1;

    static final Set<String> NAMES = Stream.concat(
                    Stream.of("device", "port", "gid-index", "timeout", "retry-count"), RemoteOptions.NAMES.stream())
            .collect(Collectors.toUnmodifiableSet());

    /**
     * Which device, port and address to use; equal choices share what is open.
     *
     * @param device its name, or {@link #ANY_DEVICE}
     * @param port its number, or {@link #ANY}
     * @param gidIndex the place of the GID in the port's table, or {@link #ANY}
     */
    record Choice(String device, int port, int gidIndex) {}

    /**
     * How long a peer may be silent before the connection is lost.
     *
     * @param timeout the time for one attempt: 4.096 us, doubled so often
     * @param count how many attempts follow the first
     */
    record Retries(int timeout, int count) {}

    /**
     * 67 ms, and with six attempts after the first about half a second: near to what other users of RDMA have, so
     * networks are made for it.
     */
    private static final int TIMEOUT = 14;

    /**
     * The most but one: RoCE in software takes the most for "for ever", and would never say that a connection is lost.
     */
    private static final int RETRY_COUNT = 6;

    /** The device's name is part of a path in the system's files. */
    private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}");

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    static VerbsOptions of(TransportSettings settings) {
        Choice choice = new Choice(
                device(settings),
                RemoteOptions.number(settings, "port", ANY, 1, 255),
                RemoteOptions.number(settings, "gid-index", ANY, 0, Short.MAX_VALUE));
        Retries retries = new Retries(
                RemoteOptions.number(settings, "timeout", TIMEOUT, 1, 31),
                RemoteOptions.number(settings, "retry-count", RETRY_COUNT, 0, 7));
        return new VerbsOptions(choice, retries, RemoteOptions.of(settings));
    }

    private static String device(TransportSettings settings) {
        String text = settings.options().getOrDefault("device", ANY_DEVICE).trim();
        if (!text.equals(ANY_DEVICE) && !DEVICE.matcher(text).matches()) {
            throw new Misconfigured("device=" + text + " is not the name of a device, such as mlx5_0");
        }
        return text;
    }
}
