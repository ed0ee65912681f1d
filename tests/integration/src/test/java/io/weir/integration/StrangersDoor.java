package io.weir.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** An address at which no node listens: the first who connects meets a {@link Stranger}. */
public final class StrangersDoor implements AutoCloseable {

    private static final String HERE = "127.0.0.1";

    private final ServerSocket listening;
    private final CompletableFuture<Void> met;

    /** The stranger does this, on a thread of its own, and then hangs up. */
    public StrangersDoor(Consumer<Stranger> acting) throws IOException {
        this(new ServerSocket(0, 5, InetAddress.getByName(HERE)), acting);
    }

    /** The same at this socket, which is closed with it. */
    public StrangersDoor(ServerSocket listening, Consumer<Stranger> acting) {
        this.listening = listening;
        met = CompletableFuture.runAsync(() -> meet(acting), task -> new Thread(task, "stranger").start());
    }

    private void meet(Consumer<Stranger> acting) {
        try (Stranger stranger = Stranger.of(listening.accept())) {
            acting.accept(stranger);
        } catch (IOException e) {
            throw new UncheckedIOException("nobody has come", e);
        }
    }

    public String address() {
        return HERE + ':' + listening.getLocalPort();
    }

    /** Returns when the stranger has hung up, and fails with whatever it has found amiss. */
    @Override
    public void close() throws IOException {
        listening.close();
        met.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }
}
