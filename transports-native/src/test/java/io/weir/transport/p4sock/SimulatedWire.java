package io.weir.transport.p4sock;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.WeirException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Two connections, and between them a wire of the worst kind, in a time of its own: what happens depends on the seed
 * alone.
 */
final class SimulatedWire {

    /** What happens to frames, in parts of one; the delay in nanoseconds. */
    record Weather(double lost, double doubled, double corrupted, double held, long delay, long jitter) {

        static final Weather FINE = new Weather(0, 0, 0, 0, 50_000, 0);
    }

    private static final class Flying {
        final long arrival;
        final long order;
        final End to;
        final boolean control;
        final byte[] frame;

        Flying(long arrival, long order, End to, boolean control, byte[] frame) {
            this.arrival = arrival;
            this.order = order;
            this.to = to;
            this.control = control;
            this.frame = frame;
        }
    }

    /** One end, and all that it was given. */
    final class End implements Connection.Outlet, Connection.User {

        final List<String> delivered = new ArrayList<>();
        boolean established;
        boolean wants = true;

        @Nullable
        WeirException ended;

        long frames;
        long controls;
        /** So many of the next ones get lost. */
        int controlsToLose;

        /** Bytes that were added. */
        long stream;

        private @Nullable End other;

        @Nullable
        Connection connection;
        /** What it sends to a peer that is no connection. */
        List<byte[]> toNobody = new ArrayList<>();

        @Override
        public int send(Fragment[] batch, int count) {
            int taken = random.nextInt(20) == 0 ? random.nextInt(count + 1) : count;
            for (int i = 0; i < taken; i++) {
                frames++;
                fly(this, false, bytes(batch[i]));
            }
            return taken;
        }

        @Override
        public void control(ByteBuffer frame, int length) {
            controls++;
            if (controlsToLose > 0) {
                controlsToLose--;
                return;
            }
            byte[] bytes = new byte[length];
            frame.get(0, bytes);
            fly(this, true, bytes);
        }

        @Override
        public boolean wants() {
            return wants;
        }

        @Override
        public void fragment(ByteBuf payload, boolean last) {
            delivered.add(describe(payload, last));
        }

        @Override
        public void established() {
            established = true;
        }

        @Override
        public void ended(WeirException reason) {
            ended = reason;
        }

        Connection connection() {
            Connection sits = connection;
            if (sits == null) {
                throw new AssertionError("no connection");
            }
            return sits;
        }
    }

    final SplittableRandom random;
    final End near = new End();
    final End far = new End();
    Weather weather;
    long now = 1_000_000_000;
    /** Nothing gets through. */
    boolean cut;

    private final PriorityQueue<Flying> flying = new PriorityQueue<>((one, other) -> one.arrival == other.arrival
            ? Long.compare(one.order, other.order)
            : Long.compare(one.arrival, other.arrival));
    private long order;

    SimulatedWire(long seed, Weather weather) {
        this.random = new SplittableRandom(seed);
        this.weather = weather;
        near.other = far;
        far.other = near;
    }

    static String describe(ByteBuf payload, boolean last) {
        return payload.readableBytes() + (last ? " last " : " ") + payload.hashCode();
    }

    /** A fragment as it goes over the wire, behind Ethernet's header. */
    static byte[] bytes(Fragment fragment) {
        ByteBuf whole = Unpooled.buffer();
        whole.writeBytes(fragment.memory.slice(Fragment.HEADER, FrameFormat.DATA));
        fragment.give(0, whole::writeBytes);
        whole.writeBytes(fragment.memory.slice(Fragment.PAYLOAD + fragment.written(), fragment.sealBytes()));
        byte[] bytes = new byte[whole.readableBytes()];
        whole.readBytes(bytes);
        return bytes;
    }

    private void fly(End from, boolean control, byte[] frame) {
        End to = from.other;
        if (to == null || to.connection == null) {
            from.toNobody.add(frame);
            return;
        }
        if (cut || random.nextDouble() < weather.lost) {
            return;
        }
        int copies = random.nextDouble() < weather.doubled ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            byte[] sent = frame.clone();
            if (random.nextDouble() < weather.corrupted) {
                sent[random.nextInt(sent.length)] ^= (byte) (1 << random.nextInt(8));
            }
            long held = random.nextDouble() < weather.held ? weather.delay * 2 : 0;
            long late = weather.jitter == 0 ? 0 : random.nextLong(weather.jitter);
            flying.add(new Flying(now + weather.delay + held + late, order++, to, control, sent));
        }
    }

    /** Lets the next thing happen. Returns false if nothing will any more. */
    boolean step() {
        Flying next = flying.peek();
        long arrival = next == null ? Long.MAX_VALUE : next.arrival;
        long deadline = Math.min(deadline(near), deadline(far));
        long retry = isStuck(near) || isStuck(far) ? now + 100_000 : Long.MAX_VALUE;
        long then = Math.min(Math.min(arrival, deadline), retry);
        if (then == Long.MAX_VALUE) {
            return false;
        }
        now = Math.max(now, then);
        if (then == arrival && next != null) {
            flying.remove();
            arrive(next);
        } else if (then == retry) {
            near.connection().flush(now);
            far.connection().flush(now);
        } else {
            near.connection().timePassed(now);
            far.connection().timePassed(now);
        }
        return true;
    }

    private static long deadline(End end) {
        return end.connection == null ? Long.MAX_VALUE : end.connection.deadline();
    }

    private static boolean isStuck(End end) {
        return end.connection != null && !end.connection.isEnded() && end.connection.isStuck();
    }

    private void arrive(Flying frame) {
        give(frame.to, frame.control, frame.frame);
    }

    /** This frame arrives there now. */
    void give(End to, boolean control, byte[] frame) {
        ByteBuffer memory = ByteBuffer.allocate(frame.length + 64).order(ByteOrder.nativeOrder());
        memory.put(8, frame);
        if (control) {
            to.connection().control(memory, 8, frame.length, now);
        } else {
            to.connection().data(memory, Unpooled.wrappedBuffer(memory), 8, frame.length, now);
        }
        if (!to.connection().isEnded()) {
            to.connection().settle(now);
        }
    }
}
