package io.weir.hostile;

import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Session;
import io.weir.hostile.client.TcpWire;
import io.weir.hostile.client.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Who attacks: has a limited time, and breaks all its connections when that is over. */
final class Attacker implements AutoCloseable {

    /** How much more than in a build is done. */
    static final int EFFORT = Integer.getInteger("weir.hostile.effort", 1);

    private static final long MILLIS = 1500L * EFFORT;
    private static final int READ_MILLIS = 20_000;

    private final Target target;
    private final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
    private final Queue<Wire> wires = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "attacker");
        thread.setDaemon(true);
        return thread;
    });
    private volatile boolean over;

    /** A part of an attack. The node may break its connection, which ends it. */
    interface Part {
        void attack(int number) throws IOException, InterruptedException;
    }

    Attacker(Target target) {
        this.target = target;
    }

    Target target() {
        return target;
    }

    boolean goesOn() {
        return !over && System.nanoTime() < end;
    }

    /** Waits for the end of the attack; what is connected stays so meanwhile. */
    void lurk() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
    }

    TcpWire wire(InetSocketAddress address) throws IOException {
        TcpWire wire = new TcpWire(address, READ_MILLIS);
        wires.add(wire);
        if (over) {
            wire.close();
        }
        return wire;
    }

    Session session() throws IOException {
        return session(Identity.fresh());
    }

    Session session(Identity identity) throws IOException {
        return Session.over(wire(target.open()), identity);
    }

    /** Attacks in so many threads; returns when all have come to their end, which is soon after that of the attack. */
    void attack(int count, Part part) throws InterruptedException {
        List<Future<?>> parts = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            int mine = number;
            parts.add(threads.submit(() -> {
                try {
                    part.attack(mine);
                } catch (IOException cut) {
                    // The node defends itself.
                }
                return null;
            }));
        }
        try {
            for (Future<?> each : parts) {
                try {
                    each.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (TimeoutException late) {
                    close();
                    each.get(READ_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (ExecutionException | TimeoutException failed) {
            throw new AssertionError("an attack has not ended as it should", failed);
        }
    }

    @Override
    public void close() {
        over = true;
        for (Wire wire = wires.poll(); wire != null; wire = wires.poll()) {
            wire.close();
        }
        threads.shutdown();
    }
}
