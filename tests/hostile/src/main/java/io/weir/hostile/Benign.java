package io.weir.hostile;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;

/**
 * A peer that does nothing wrong: a session for each path that is named behind the address, each with a channel to the
 * port {@code echo} and requests to {@code greet}.
 *
 * <p>Prints the id of each session's node. Between the lines {@code measure} and {@code report} it talks, see
 * {@link Conversation}; then it prints a line for each session, and how long a thread of this process had to wait for a
 * processor meanwhile.
 */
public final class Benign {

    private static final long PERIOD_MILLIS = 20;
    private static final int ASK_EVERY = 15;

    private final List<Conversation> conversations = new ArrayList<>();
    private final Hiccups hiccups = new Hiccups();
    private boolean talks;
    private int ticks;

    private Benign(String address, List<String> paths) {
        for (String path : paths) {
            Node node = Node.start(NodeSpec.builder()
                            .name("benign-" + path)
                            .order(path)
                            .path(path, PathSwitch.REQUIRED)
                            .listen("tcp://127.0.0.1:0")
                            .build())
                    .blockOptional()
                    .orElseThrow();
            Peer peer = node.connect(address).blockOptional().orElseThrow();
            conversations.add(new Conversation(path, peer));
            System.out.println("identity " + path + " " + node.id().id() + " "
                    + node.id().incarnation() + " " + node.id().name());
        }
    }

    private synchronized void tick() {
        if (talks) {
            boolean asks = ticks++ % ASK_EVERY == 0;
            for (Conversation conversation : conversations) {
                conversation.say();
                if (asks) {
                    conversation.ask();
                }
            }
        }
    }

    private synchronized void measure() {
        conversations.forEach(Conversation::measure);
        hiccups.measure();
        talks = true;
    }

    private void report() throws InterruptedException {
        synchronized (this) {
            talks = false;
        }
        for (Conversation conversation : conversations) {
            System.out.println("report " + conversation.report());
        }
        System.out.println("hiccup " + hiccups.longestMillis());
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Benign benign = new Benign(arguments[0], List.of(arguments).subList(1, arguments.length));
        new Timer("clock", true)
                .scheduleAtFixedRate(
                        new TimerTask() {
                            @Override
                            public void run() {
                                benign.tick();
                            }
                        },
                        0,
                        PERIOD_MILLIS);
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case "measure" -> {
                    benign.measure();
                    System.out.println("measuring");
                }
                case "report" -> benign.report();
                default -> throw new IllegalArgumentException("there is no command " + line);
            }
        }
        System.exit(0);
    }
}
