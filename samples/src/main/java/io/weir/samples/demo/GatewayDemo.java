package io.weir.samples.demo;

import io.weir.samples.process.OwnJava;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.Serving;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

    private final Map<String, String> settings = new HashMap<>();
    private final List<Process> started = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();

    @Override
    public Integer call() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        settings.put("WEIR_SECURITY_SECRET", HexFormat.of().formatHex(secret));
        settings.put("WEIR_SECURITY_SECRET_FILE", "");
        // Three JVMs start at once, perhaps on a busy machine.
        settings.put("WEIR_TIMEOUT_HANDSHAKE", "30s");
        settings.put("WEIR_TIMEOUT_STEP", "15s");
        settings.put("WEIR_TIMEOUT_HEAD_START", "15s");
        try (ThreeHosts hosts = network ? ThreeHosts.make(new Ip("ip")) : null) {
            return run(hosts) ? 0 : 1;
        } catch (ProgramFailed e) {
            say("failed", String.valueOf(e.getMessage()));
            return 1;
        } finally {
            started.forEach(Process::destroyForcibly);
        }
    }

    private boolean run(@Nullable ThreeHosts hosts) {
        String far = hosts == null ? "127.0.0.1" : ThreeHosts.FAR;
        String middle = hosts == null ? "127.0.0.1" : ThreeHosts.MIDDLE;
        say("networks", hosts == null ? "one host" : hosts.toString());
        BufferedReader server = start(
                hosts,
                FAR,
                Map.of("WEIR_TRANSPORT_SHM", "off"),
                OwnJava.command(BehindGateway.class, "server", "tcp://" + far + AT_ANY_PORT));
        String serverAddress = after(server, Serving.READY);
        BufferedReader gateway = start(
                hosts,
                MIDDLE,
                Map.of(),
                OwnJava.command(
                        BehindGateway.class,
                        "gateway",
                        "--name=gateway",
                        "--until-input-ends",
                        "--listen=tcp://" + middle + AT_ANY_PORT,
                        "--allow=" + far));
        Map<String, String> client = new HashMap<>();
        if (path != null) {
            client.put("WEIR_TRANSPORT_ORDER", path);
        }
        String gatewayAddress = after(gateway, " listens at ").replaceFirst(",.*", "");
        say("gateway", "listens at " + gatewayAddress + ", the server at " + serverAddress);
        follow("gateway", gateway);
        client.put("WEIR_PEERS_SERVER_ADDRESS", serverAddress);
        client.put("WEIR_PEERS_SERVER_GATEWAY", gatewayAddress);
        BufferedReader said = start(hosts, NEAR, client, OwnJava.command(BehindGateway.class, "client"));
        follow("client", said);
        return succeeded(started.get(started.size() - 1));
    }

    private BufferedReader start(@Nullable ThreeHosts hosts, int where, Map<String, String> more, List<String> java) {
        List<String> whole = new ArrayList<>(hosts == null ? List.of() : hosts.in(where));
        whole.addAll(java);
        Map<String, String> environment = new HashMap<>(settings);
        environment.putAll(more);
        try {
            Process process = OwnJava.start(whole, environment);
            started.add(process);
            return process.inputReader(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new ProgramFailed("A process can't be started: " + e.getMessage(), e);
        }
    }

    /** What stands behind these words in the first line that has them. */
    private static String after(BufferedReader lines, String words) {
        StringBuilder said = new StringBuilder();
        try {
            for (String line;
                    (line = lines.readLine()) != null;
                    said.append(line).append('\n')) {
                int at = line.indexOf(words);
                if (at >= 0) {
                    return line.substring(at + words.length()).strip();
                }
            }
        } catch (IOException e) {
            throw new ProgramFailed("A process can't be heard: " + e.getMessage(), e);
        }
        throw new ProgramFailed("A process ended before it was ready; it said: " + said);
    }

    /** Prints what it says, from now on, as it comes. */
    private void follow(String who, BufferedReader lines) {
        Thread reader = new Thread(() -> lines.lines().forEach(line -> say(who, line)), "output of " + who);
        reader.setDaemon(true);
        reader.start();
        readers.add(reader);
    }

    /** Waits for the client, then ends the others kindly, so that what they say last is heard. */
    private boolean succeeded(Process client) {
        try {
            boolean done = client.waitFor() == 0;
            for (Process each : started) {
                each.getOutputStream().close();
                var unused = each.waitFor(10, TimeUnit.SECONDS);
            }
            for (Thread each : readers) {
                each.join(TimeUnit.SECONDS.toMillis(5));
            }
            return done;
        } catch (IOException e) {
            throw new ProgramFailed("A process can't be ended: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while the stream was flowing.", e);
        }
    }

    private synchronized void say(String who, String line) {
        PrintWriter out = command.commandLine().getOut();
        out.printf("%-10s%s%n", who, line);
        out.flush();
    }
}
