package io.weir.integration.security;

import io.weir.core.FrameLayout;
import io.weir.core.PeerAddress;
import io.weir.integration.Patience;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;

/**
 * Stands between two nodes, of which one connects to it, and passes on what they say. It can change the first frame of
 * each, and read what goes over TLS, if both take it for the other one.
 */
final class Meddler implements AutoCloseable {

    private static final String HERE = "127.0.0.1";

    /** What becomes of the body of a first frame. */
    private final Consumer<byte[]> there;

    private final Consumer<byte[]> back;
    private final ServerSocket listening;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> meddling;

    /** Over plain sockets. */
    Meddler(PeerAddress target, Consumer<byte[]> there, Consumer<byte[]> back) throws IOException {
        this(target, ServerSocketFactory.getDefault(), SocketFactory.getDefault(), there, back);
    }

    /** Over these sockets, without any change. */
    Meddler(PeerAddress target, ServerSocketFactory near, SocketFactory far) throws IOException {
        this(target, near, far, body -> {}, body -> {});
    }

    private Meddler(
            PeerAddress target,
            ServerSocketFactory near,
            SocketFactory far,
            Consumer<byte[]> there,
            Consumer<byte[]> back)
            throws IOException {
        this.there = there;
        this.back = back;
        listening = near.createServerSocket(0, 5, InetAddress.getByName(HERE));
        meddling = run(() -> {
            try (Socket one = listening.accept();
                    Socket other = far.createSocket(HERE, target.port())) {
                open.addAll(List.of(one, other));
                CompletableFuture.allOf(run(() -> pass(one, other, this.there)), run(() -> pass(other, one, this.back)))
                        .join();
            } catch (IOException e) {
                throw new UncheckedIOException("nobody has come", e);
            }
        });
    }

    private static CompletableFuture<Void> run(Runnable task) {
        return CompletableFuture.runAsync(task, it -> new Thread(it, "meddler").start());
    }

    String address() {
        return HERE + ':' + listening.getLocalPort();
    }

    private static void pass(Socket from, Socket to, Consumer<byte[]> change) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            byte[] head = new byte[FrameLayout.HEADER];
            in.readFully(head);
            int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt();
            byte[] body = new byte[FrameLayout.align(length)];
            in.readFully(body);
            change.accept(body);
            to.getOutputStream().write(head);
            to.getOutputStream().write(body);
            in.transferTo(to.getOutputStream());
        } catch (IOException e) {
            // One of them has ended, and with it the other.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : open) {
            each.close();
        }
        meddling.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }
}
