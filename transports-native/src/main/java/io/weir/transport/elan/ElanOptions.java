package io.weir.transport.elan;

import io.weir.core.Misconfigured;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.RemoteOptions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of this path.
 *
 * @param choice {@code library} and {@code device}
 * @param job {@code job}: what all processes of our job, and none of another, call it; empty for what the environment
 *     says
 * @param memory those that every path over RDMA has
 */
record ElanOptions(Choice choice, String job, RemoteOptions memory) {

    private static final String LIBRARY = "library";
    private static final String DEVICE = "device";
    private static final String JOB = "job";

    static final Set<String> NAMES = Stream.concat(Stream.of(LIBRARY, DEVICE, JOB), RemoteOptions.NAMES.stream())
            .collect(Collectors.toUnmodifiableSet());

    private static final int LONGEST = 4096;

    /**
     * What a process uses, which it can't change any more.
     *
     * @param library its path; empty for the one that the system finds
     * @param device a file or folder that is there where the hardware is; empty for those that are known
     */
    record Choice(String library, String device) {}

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    static ElanOptions of(TransportSettings settings) {
        Choice choice = new Choice(
                RemoteOptions.path(settings, LIBRARY, "/usr/lib/libelan.so"),
                RemoteOptions.path(settings, DEVICE, "/dev/elan4/control0"));
        String job = settings.options().getOrDefault(JOB, "").trim();
        if (job.length() > LONGEST) {
            throw new Misconfigured(JOB + " has more than " + LONGEST + " characters");
        }
        return new ElanOptions(choice, job, RemoteOptions.of(settings));
    }
}
