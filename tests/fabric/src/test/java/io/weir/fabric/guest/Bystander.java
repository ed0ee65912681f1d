package io.weir.fabric.guest;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A program that knows nothing of Weir: two of them stream bytes to each other over TCP, both ways at once, and behind
 * them their digest.
 */
final class Bystander {

    private static final int PIECE = 64 << 10;
    private static final int PIECES = 512;

    private Bystander() {}

    /** The argument is where it listens, or else where to connect to and the port. */
    public static void main(String[] arguments) throws Exception {
        InetAddress host = InetAddress.getByName(arguments[0]);
        if (arguments.length == 1) {
            try (ServerSocket server = new ServerSocket(0, 1, host)) {
                System.out.println("READY " + server.getLocalPort());
                try (Socket socket = server.accept()) {
                    stream(socket);
                }
            }
        } else {
            try (Socket socket = new Socket(host, Integer.parseInt(arguments[1]))) {
                stream(socket);
            }
        }
    }

    private static void stream(Socket socket) throws Exception {
        Thread sender = new Thread(() -> send(socket), "sender");
        sender.start();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        MessageDigest digest = sha256();
        byte[] piece = new byte[PIECE];
        for (int i = 0; i < PIECES; i++) {
            in.readFully(piece);
            digest.update(piece);
        }
        byte[] expected = digest.digest();
        byte[] sent = new byte[expected.length];
        in.readFully(sent);
        sender.join();
        if (!Arrays.equals(sent, expected)) {
            System.out.println("DIFFERENT");
            System.exit(1);
        }
        System.out.println("SAME");
    }

    private static void send(Socket socket) {
        try {
            OutputStream out = socket.getOutputStream();
            MessageDigest digest = sha256();
            SplittableRandom random = new SplittableRandom();
            byte[] piece = new byte[PIECE];
            for (int i = 0; i < PIECES; i++) {
                random.nextBytes(piece);
                digest.update(piece);
                out.write(piece);
            }
            out.write(digest.digest());
        } catch (IOException e) {
            // The other side's digest comes to nothing then.
            System.out.println("FAILED " + e);
            System.exit(1);
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
