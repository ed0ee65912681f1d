package io.weir.test;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process at another host, or one that makes networks of its own. */
final class FarEnd {

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
