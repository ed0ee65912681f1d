package io.weir.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** A process at another host, or one that makes networks of its own. */
final class FarEnd {

    /** Bytes of what is said to {@link #echo}. */
    static final int SAID = 4 << 20;

    private FarEnd() {}

    static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                FarEnd.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "echo" -> echo(arguments[1]);
            case "talk" -> talk(arguments[1], Integer.parseInt(arguments[2]));
            case "reach" ->
                System.out.println(InetAddress.getByName(arguments[1]).isReachable(60_000) ? "reached" : "not reached");
            case "networks" -> networks();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Sends one connection back what it says. */
    private static void echo(String address) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            System.out.println(server.getLocalPort());
            try (Socket one = server.accept()) {
                long unused = one.getInputStream().transferTo(one.getOutputStream());
            }
        }
    }

    /** Says something long to {@link #echo}, and compares. */
    private static void talk(String address, int port) throws IOException {
        byte[] sent = new byte[SAID];
        new Random(1).nextBytes(sent);
        try (Socket socket = new Socket(address, port)) {
            socket.setSoTimeout(60_000);
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> write(socket, sent));
            byte[] back = socket.getInputStream().readAllBytes();
            writing.join();
            System.out.println(Arrays.equals(sent, back) ? "the same" : "something else: " + back.length + " bytes");
        }
    }

    private static void write(Socket socket, byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes some and waits for its end. */
    private static void networks() throws IOException {
        try {
            Networks networks = Networks.make();
            System.out.println(networks.host("far"));
            try (InputStream input = System.in) {
                int unused = input.read();
            }
        } catch (Networks.Unavailable e) {
            System.out.println(e.getMessage());
        }
    }
}
