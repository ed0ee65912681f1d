package io.weir.fabric.guest;

import io.weir.fabric.guest.Fabric.End;
import io.weir.samples.process.Secret;
import io.weir.samples.process.Serving;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Port;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Processes of a scene that run on hosts of their own. They share a secret, as nodes want that listen beyond their
 * host.
 */
final class Hosts {

    private final Map<String, String> secret = Secret.settings();
    private final Map<End, Map<String, String>> options = new EnumMap<>(End.class);

    /** The processes at this end use no other interface for frames. */
    void frames(End end, Port interfaceOfTheirs) {
        options.put(end, Map.of("WEIR_TRANSPORT_P4SOCK_INTERFACE", interfaceOfTheirs.name()));
    }

    /** Starts a {@link FarProcess}, which listens there. */
    Program far(Host host, String address, String... others) throws IOException {
        return Program.serve(host.command(Jvm.command(FarProcess.class, address)), environment(End.FAR, others));
    }

    /** Starts a {@link Streaming} to some of these. */
    Program near(Host host, List<Program> far, String... others) throws IOException, InterruptedException {
        String[] addresses = new String[far.size()];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = far.get(i).says(Serving.READY);
        }
        return Program.serve(host.command(Jvm.command(Streaming.class, addresses)), environment(End.NEAR, others));
    }

    private Map<String, String> environment(End end, String... others) {
        Map<String, String> all = new HashMap<>(Fabric.P4SOCK.environment(end, others));
        all.putAll(secret);
        all.putAll(options.getOrDefault(end, Map.of()));
        return all;
    }
}
