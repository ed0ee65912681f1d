package io.weir.channel;

import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/** What a node states about the host and process that it runs in. */
final class Host {

    /** Equal only within one JVM (and one loader of this class). */
    private static final String PROCESS = UUID.randomUUID().toString();

    private Host() {}

    static PeerCard card(PeerId id, Map<String, String> ready, Map<String, String> missing) {
        return new PeerCard(
                id,
                bootId(),
                uid(),
                PROCESS,
                hostName(),
                ProcessHandle.current().pid(),
                ready,
                missing);
    }

    /** The running kernel: the same in all containers of a host, another after a reboot. Empty where there is none. */
    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).trim();
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    private static long uid() {
        try {
            return ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).longValue();
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
