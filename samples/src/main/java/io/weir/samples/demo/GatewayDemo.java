package io.weir.samples.demo;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.samples.process.Ip;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.Programs;
import io.weir.samples.process.Secret;
import io.weir.samples.process.Serving;
import io.weir.samples.process.ThreeHosts;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir sample gateway} */
@Command(
        name = "gateway",
        description =
                "Streams from a server to a client that can't reach it, through a gateway, and shows that a client that"
                        + " stops stops the server.",
        mixinStandardHelpOptions = true)
public final class GatewayDemo implements Callable<Integer> {

    private static final String AT_ANY_PORT = ":0";
    private static final int NEAR = 0;
    private static final int MIDDLE = 1;
    private static final int FAR = 2;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--network",
            description = "Puts them into three network namespaces, with no route from the client's to the server's;"
                    + " needs root. Else they are on one host, with their direct paths switched off.")
    private boolean network;

    @Option(
            names = "--path",
            paramLabel = "PATH",
            description = "The path from the client to the gateway. Default: the best one that there is.")
    private @Nullable String path;

    @Override
    public Integer call() {
        checkPath();
        try (ThreeHosts hosts = network ? ThreeHosts.make(new Ip("ip")) : null;
                Programs programs = new Programs(settings(), this::say)) {
            return run(hosts, programs) ? 0 : 1;
        } catch (ProgramFailed e) {
            say("failed", String.valueOf(e.getMessage()));
            return 1;
        }
    }

    /** Before anything is started, so that a wrong name is refused at once. */
    private void checkPath() {
        try {
            if (path != null) {
                var unused = NodeSpec.builder().order(path).build();
            }
        } catch (Misconfigured e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(Secret.settings());
        // Three JVMs start at once, perhaps on a busy machine.
        settings.put("WEIR_TIMEOUT_HANDSHAKE", "30s");
        settings.put("WEIR_TIMEOUT_STEP", "15s");
        settings.put("WEIR_TIMEOUT_HEAD_START", "15s");
        return settings;
    }

    private boolean run(@Nullable ThreeHosts hosts, Programs programs) {
        String far = hosts == null ? "127.0.0.1" : ThreeHosts.FAR;
        String middle = hosts == null ? "127.0.0.1" : ThreeHosts.MIDDLE;
        say("networks", hosts == null ? "one host" : hosts.toString());
        BufferedReader server = programs.start(
                at(hosts, FAR, OwnJava.command(BehindGateway.class, "server", "tcp://" + far + AT_ANY_PORT)),
                outOfReach(hosts));
        String serverAddress = Programs.after(server, Serving.READY);
        BufferedReader gateway = programs.start(
                at(
                        hosts,
                        MIDDLE,
                        OwnJava.command(
                                BehindGateway.class,
                                "gateway",
                                "--name=gateway",
                                "--until-input-ends",
                                "--listen=tcp://" + middle + AT_ANY_PORT,
                                "--allow=" + far)),
                Map.of());
        Map<String, String> client = new HashMap<>();
        if (path != null) {
            client.put("WEIR_TRANSPORT_ORDER", path);
        }
        String gatewayAddress = Programs.after(gateway, " listens at ").replaceFirst(",.*", "");
        say("gateway", "listens at " + gatewayAddress + ", the server at " + serverAddress);
        programs.follow("gateway", gateway);
        client.put("WEIR_PEERS_SERVER_ADDRESS", serverAddress);
        client.put("WEIR_PEERS_SERVER_GATEWAY", gatewayAddress);
        programs.follow(
                "client", programs.start(at(hosts, NEAR, OwnJava.command(BehindGateway.class, "client")), client));
        return programs.lastSucceeds();
    }

    /** What keeps the client from reaching the server by itself. */
    private Map<String, String> outOfReach(@Nullable ThreeHosts hosts) {
        Map<String, String> off = new HashMap<>(Map.of("WEIR_TRANSPORT_SHM", "off"));
        if (hosts == null && path != null && !path.equals("tcp")) {
            off.put("WEIR_TRANSPORT_" + path.toUpperCase(Locale.ROOT), "off");
        }
        return off;
    }

    private static List<String> at(@Nullable ThreeHosts hosts, int where, List<String> java) {
        List<String> whole = new ArrayList<>(hosts == null ? List.of() : hosts.in(where));
        whole.addAll(java);
        return whole;
    }

    private synchronized void say(String who, String line) {
        PrintWriter out = command.commandLine().getOut();
        out.printf("%-10s%s%n", who, line);
        out.flush();
    }
}
