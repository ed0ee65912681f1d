package io.weir.test;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection over a {@link FaultyRoute}: what either end says is read, kept for the delay, and written to the
 * other.
 */
final class Relayed {

    private static final int PIECE = 16 << 10;

    /** With {@link #PIECE}, 1 MiB. */
    private static final int PIECES = 64;

    private final Socket near;
    private final Socket far = new Socket();
    private final Supplier<@Nullable InetSocketAddress> target;
    private final Gate gate;
    private final Supplier<Duration> delay;
    private final Consumer<Relayed> onEnd;
    private final AtomicInteger directions = new AtomicInteger(2);
    private final List<Thread> threads = new ArrayList<>();
    private boolean over;

    /** What was read, due then; without bytes it is the end. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Piece(byte[] bytes, long due, boolean broken) {}

    Relayed(
            Socket near,
            Supplier<@Nullable InetSocketAddress> target,
            Gate gate,
            Supplier<Duration> delay,
            Consumer<Relayed> onEnd) {
        this.near = near;
        this.target = target;
        this.gate = gate;
        this.delay = delay;
        this.onEnd = onEnd;
    }

    static Thread start(String name, Runnable task) {
        Thread thread = new Thread(task, "weir-test-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    void start() {
        begin("connect", () -> {
            gate.pass();
            InetSocketAddress there = target.get();
            if (there == null) {
                reset();
                return;
            }
            far.connect(there);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            relay(near, far);
            relay(far, near);
        });
    }

    private void relay(Socket from, Socket to) {
        BlockingQueue<Piece> underWay = new ArrayBlockingQueue<>(PIECES);
        begin("read", () -> read(from, underWay));
        begin("write", () -> write(underWay, to));
    }

    private void read(Socket from, BlockingQueue<Piece> to) throws InterruptedException {
        byte[] bytes = new byte[PIECE];
        boolean broken = false;
        try {
            for (int count; (count = from.getInputStream().read(bytes)) >= 0; ) {
                to.put(new Piece(Arrays.copyOf(bytes, count), due(), false));
            }
        } catch (IOException e) {
            broken = true;
        }
        to.put(new Piece(new byte[0], due(), broken));
    }

    private long due() {
        return System.nanoTime() + delay.get().toNanos();
    }

    private void write(BlockingQueue<Piece> from, Socket to) throws IOException, InterruptedException {
        while (true) {
            Piece next = from.take();
            TimeUnit.NANOSECONDS.sleep(next.due - System.nanoTime());
            gate.pass();
            if (next.bytes.length > 0) {
                to.getOutputStream().write(next.bytes);
            } else if (next.broken) {
                reset();
                return;
            } else {
                to.shutdownOutput();
                if (directions.decrementAndGet() == 0) {
                    end();
                }
                return;
            }
        }
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private synchronized void begin(String what, Step step) {
        if (!over) {
            threads.add(start(what, () -> {
                try {
                    step.run();
                } catch (IOException | InterruptedException e) {
                    // One of them is gone, and with it the connection.
                    reset();
                }
            }));
        }
    }

    /** Ends both sides at once. */
    void reset() {
        linger(near);
        linger(far);
        end();
    }

    private static void linger(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
    }

    private void end() {
        List<Thread> waiting;
        synchronized (this) {
            over = true;
            waiting = List.copyOf(threads);
        }
        close(near);
        close(far);
        waiting.forEach(Thread::interrupt);
        onEnd.accept(this);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // As closed as it gets.
        }
    }
}
