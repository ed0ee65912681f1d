package io.weir.samples.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a process of a sample runs: on one host with all others, unless its environment says that it is on one of
 * {@link TwoHosts}, as {@link Networked} has it.
 */
public final class Place {

    private static final String HOST = "SAMPLE_HOST";
    private static final String FURTHER = "SAMPLE_FURTHER";
    private static final String FURTHER_HOST = "SAMPLE_FURTHER_HOST";

    private Place() {}

    /** What tells a process that it is the first one of them, on the first host. */
    static Map<String, String> first(TwoHosts hosts) {
        return Map.of(HOST, TwoHosts.NEAR, FURTHER, String.join(" ", hosts.far()), FURTHER_HOST, TwoHosts.FAR);
    }

    /** Whether this process is on one of two hosts. */
    public static boolean isOneOfTwo() {
        return System.getenv(HOST) != null;
    }

    /** Where a node of this process listens. */
    public static String listen() {
        return atAnyPort(System.getenv(HOST));
    }

    /** The host on which further processes run. */
    public static String furtherHost() {
        return host(System.getenv(FURTHER_HOST));
    }

    /** Where a node of a further process listens. */
    public static String furtherListen() {
        return atAnyPort(System.getenv(FURTHER_HOST));
    }

    /** Has this command run where further processes do. */
    public static List<String> further(List<String> command) {
        String way = System.getenv(FURTHER);
        List<String> whole = new ArrayList<>(way == null ? List.of() : List.of(way.split(" ")));
        whole.addAll(command);
        return whole;
    }

    /** What a further process is told of its place. */
    public static Map<String, String> furtherSettings() {
        return isOneOfTwo() ? Map.of(HOST, furtherHost()) : Map.of();
    }

    private static String atAnyPort(@Nullable String host) {
        return "tcp://" + host(host) + ":0";
    }

    private static String host(@Nullable String host) {
        return host == null ? "127.0.0.1" : host;
    }
}
