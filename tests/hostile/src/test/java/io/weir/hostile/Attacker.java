package io.weir.hostile;

import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Kind;
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
import java.util.concurrent.atomic.AtomicLong;

/** Who attacks: has a limited time, and breaks all its connections when that is over. */
final class Attacker implements AutoCloseable {

    /** How much more than in a build is done. */
    static final int EFFORT = Integer.getInteger("weir.hostile.effort", 1);

    private static final long MILLIS = 600L * EFFORT;
    private static final int READ_MILLIS = 20_000;

    private final Target target;
    private final long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
    private final long latest = end + TimeUnit.MILLISECONDS.toNanos(READ_MILLIS);
    private final AtomicLong done = new AtomicLong();
    private final Queue<Wire> wires = new ConcurrentLinkedQueue<>();
    private final Queue<String> cuts = new ConcurrentLinkedQueue<>();
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

    /** Counts something that has been done to the victim. */
    void did() {
        done.incrementAndGet();
    }

    /** How often something has been done to it. */
    long done() {
        return done.get();
    }

    boolean goesOn() {
        return !over && left() > 0;
    }

    /** An attack that has not come to anything yet has longer: so a machine with much else to do spoils none. */
    private long left() {
        return (done() > 0 ? end : latest) - System.nanoTime();
    }

    private long aWhile() {
        return Math.max(TimeUnit.MILLISECONDS.toNanos(1), end - System.nanoTime());
    }

    /**
     * Waits for what is left of the time when an attack came to its end early, because the node refused to go on with
     * it.
     */
    void waitForTheEnd() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
    }

    /** Waits for the end of the attack; what is connected stays so meanwhile. */
    void lurk() throws InterruptedException {
        while (goesOn()) {
            TimeUnit.NANOSECONDS.sleep(aWhile());
        }
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

    /** The flags of the REFUSE with which the node ends what was begun here; who comes in instead is one too many. */
    static int refused(TcpWire wire) throws IOException {
        Frame frame = wire.receive();
        while (frame.kind() != Kind.REFUSE) {
            if (frame.kind() != Kind.HELLO && frame.kind() != Kind.PROOF) {
                throw new AssertionError("the node goes on, with " + frame);
            }
            frame = wire.receive();
        }
        return frame.flags();
    }

    /** What has ended parts of the attack. */
    String cuts() {
        return cuts.stream().distinct().limit(5).toList().toString();
    }

    /**
     * Sends the same bytes again and again in so many sessions, each of which begins anew when the node has ended it.
     */
    void flood(int count, boolean reads, byte[] first, byte[] again) throws InterruptedException {
        attackAgain(count, number -> {
            TcpWire wire = wire(target.open());
            try {
                Session session = Session.over(wire, Identity.fresh());
                if (reads) {
                    session.read();
                }
                wire.raw(first);
                while (goesOn()) {
                    wire.raw(again);
                    did();
                }
            } finally {
                wire.close();
            }
        });
    }

    /** Sends these bytes once in so many sessions at once, waits for what the node makes of them, and is gone. */
    void once(int count, byte[] first, byte[] then) throws IOException {
        List<TcpWire> connected = new ArrayList<>();
        for (int number = 0; number < count && goesOn(); number++) {
            TcpWire wire = wire(target.open());
            connected.add(wire);
            try {
                Session session = Session.over(wire, Identity.fresh());
                wire.raw(first);
                wire.raw(then);
                did();
                while (session.ending().isEmpty() && session.next().kind() != Kind.ACCEPT) {
                    // The node has come to what we have sent when it answers the first OPEN.
                }
            } catch (IOException cut) {
                cuts.add(cut.toString());
            }
        }
        connected.forEach(TcpWire::close);
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
                    cuts.add(cut.toString());
                }
                return null;
            }));
        }
        try {
            for (Future<?> each : parts) {
                while (goesOn() && !each.isDone()) {
                    await(each);
                }
                if (!each.isDone()) {
                    cut();
                }
                each.get(READ_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException | TimeoutException failed) {
            throw new AssertionError("an attack has not ended as it should", failed);
        }
    }

    /** Returns when a part has ended, or the attack may be over. */
    private void await(Future<?> part) throws InterruptedException, ExecutionException {
        try {
            part.get(aWhile(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException goesOn) {
            // The caller looks.
        }
    }

    /** Attacks in so many threads, each of which begins anew when the node has ended its session. */
    void attackAgain(int count, Part part) throws InterruptedException {
        attack(count, number -> {
            while (goesOn()) {
                try {
                    part.attack(number);
                } catch (IOException cut) {
                    cuts.add(cut.toString());
                }
            }
        });
    }

    private void cut() {
        over = true;
        for (Wire wire = wires.poll(); wire != null; wire = wires.poll()) {
            wire.close();
        }
    }

    @Override
    public void close() {
        cut();
        threads.shutdown();
    }
}
