package io.weir.samples.demo;

import io.weir.samples.process.Child;
import io.weir.samples.process.Ip;
import io.weir.samples.process.OwnJava;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.Secret;
import io.weir.samples.process.TwoHosts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs between two processes in two networks, with a cable between them that is cut on the way. Prints what happens.
 */
final class NetworkRun implements AutoCloseable {

    static final String USER_TIMEOUT = "1s";

    /** What a node writes into its log about its connections. */
    private static final Pattern LOGGED = Pattern.compile("[0-9:.]+ INFO +Node: (.*)");

    private final TwoHosts hosts;
    private final Subject subject;
    private final int rounds;
    private final PrintWriter out;

    private NetworkRun(TwoHosts hosts, Subject subject, int rounds, PrintWriter out) {
        this.hosts = hosts;
        this.subject = subject;
        this.rounds = rounds;
        this.out = out;
    }

    /**
     * Makes the networks, which are gone when this is closed.
     *
     * @throws ProgramFailed if that can't be done
     */
    static NetworkRun begin(Ip ip, Subject subject, int rounds, PrintWriter out) {
        return new NetworkRun(TwoHosts.make(ip), subject, rounds, out);
    }

    /**
     * What both nodes are told, for a network that is cut for seconds and not for minutes.
     */
    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(Secret.settings());
        settings.put("WEIR_TRANSPORT_TCP_USER_TIMEOUT", USER_TIMEOUT);
        settings.put("WEIR_KEEPALIVE_INTERVAL", "250ms");
        settings.put("WEIR_REPATH_PROBATION", "200ms");
        return settings;
    }

    private static Map<String, String> withLog(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("LOG_MOVES", "INFO");
        return all;
    }

    /**
     * Runs over a path: shm, which is cut as well, or tcp.
     *
     * @return whether the digest that came back is ours
     * @throws ProgramFailed if a process can't be started
     */
    boolean over(String path) {
        Map<String, String> settings = settings();
        List<String> there = new ArrayList<>(hosts.far());
        there.addAll(OwnJava.command(
                Receiver.class, Integer.toString(rounds), hosts.address().toString()));
        try (Child receiver = Child.start(Receiver.PROCESS, there, settings, this::told)) {
            List<String> here = new ArrayList<>(hosts.near());
            here.addAll(OwnJava.command(
                    Sender.class,
                    receiver.address().toString(),
                    path,
                    subject.file().toString(),
                    Long.toString(subject.size()),
                    subject.digest()));
            Process sender = OwnJava.start(here, withLog(settings));
            try (BufferedReader lines = sender.inputReader(StandardCharsets.UTF_8)) {
                out.println("Over " + path + ", from process " + sender.pid() + " to process " + receiver.pid()
                        + ", between which the network goes down");
                for (String line; (line = lines.readLine()) != null; ) {
                    print(line);
                }
                return sender.waitFor() == 0;
            } finally {
                sender.destroyForcibly();
            }
        } catch (IOException e) {
            throw new ProgramFailed("The first process can't be started or heard: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while the stream was flowing.", e);
        }
    }

    /** Of what the node logs, the demonstration prints the rest itself. */
    private void print(String line) {
        Matcher logged = LOGGED.matcher(line);
        if (!logged.matches()) {
            out.println(line);
        } else if (logged.group(1).startsWith("The bootstrap connection")) {
            out.println("  node          " + logged.group(1));
        }
        out.flush();
    }

    private void told(String line) {
        out.println("  the second process says: " + line);
        out.flush();
    }

    @Override
    public String toString() {
        return hosts.toString();
    }

    @Override
    public void close() {
        hosts.close();
    }
}
