package io.weir.benchmark.files;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Sends a file by {@code sendfile} to whoever connects, and reads it from there. */
public final class FileOverSocket {

    private static final int PIECE = 64 << 10;

    private FileOverSocket() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("server")) {
            ServerSocketChannel server =
                    ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread sender = new Thread(() -> send(server, Path.of(arguments[1])), "sender");
            sender.setDaemon(true);
            sender.start();
            Reads.serve(Integer.toString(server.socket().getLocalPort()));
        } else {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
            Reads.client(() -> read(address));
        }
    }

    private static void send(ServerSocketChannel server, Path name) {
        while (true) {
            try (SocketChannel to = server.accept();
                    FileChannel file = FileChannel.open(name)) {
                for (long at = 0, size = file.size(); at < size; ) {
                    at += file.transferTo(at, size - at, to);
                }
            } catch (IOException e) {
                System.out.println("FAILED " + e);
                return;
            }
        }
    }

    private static long read(InetSocketAddress address) throws IOException {
        ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
        long read = 0;
        try (SocketChannel from = SocketChannel.open(address)) {
            for (int more; (more = from.read(piece.clear())) >= 0; ) {
                read += more;
            }
        }
        return read;
    }
}
