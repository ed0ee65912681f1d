package io.weir.transport.p4sock;

import io.weir.core.WeirException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The place of one connection at its port: where its frames go, and when it is looked at next. Belongs to the loop's
 * thread.
 */
final class Seat implements Connection.Outlet {

    private final EtherPort port;
    private final int index;
    /** Ethernet's header, as it stands in data. */
    private final ByteBuffer header = ByteBuffer.allocate(Long.BYTES * 2).order(ByteOrder.nativeOrder());

    private final Runnable settled;
    private @Nullable Connection connection;
    private @Nullable Disposable timer;
    private long timerAt = Long.MAX_VALUE;
    private boolean left;
    private boolean retries;
    /** Something has come for it in this look of the port. */
    boolean touched;

    /** @param settled called on the loop after something has come or time has passed */
    Seat(EtherPort port, int index, Mac from, Mac to, Runnable settled) {
        this.port = port;
        this.index = index;
        this.settled = settled;
        header.put(0, to.bytes()).put(Mac.BYTES, from.bytes());
    }

    int index() {
        return index;
    }

    EtherPort port() {
        return port;
    }

    void connection(Connection sits) {
        connection = sits;
    }

    Connection connection() {
        Connection sits = connection;
        if (sits == null) {
            throw new IllegalStateException("nobody sits here");
        }
        return sits;
    }

    /** Whether frames are for somebody. */
    boolean isTaken() {
        return connection != null && !left;
    }

    @Override
    public int send(Fragment[] batch, int count) {
        long first = header.getLong(0);
        int second = header.getInt(Long.BYTES);
        for (int i = 0; i < count; i++) {
            ByteBuffer memory = batch[i].memory;
            memory.putLong(0, first);
            memory.putInt(Long.BYTES, second);
            EtherPort.putType(memory, FrameFormat.DATA_TYPE);
        }
        return port.send(batch, count);
    }

    @Override
    public void control(ByteBuffer frame, int length) {
        port.sendControl(header, frame, length);
    }

    /** Begins, or sends what was added, and looks when the next time is. */
    void flush() {
        if (!left) {
            connection().flush(System.nanoTime());
            after();
        }
    }

    /** What came in this look of the port is all there. */
    void settle(long now) {
        touched = false;
        if (!left) {
            connection().settle(now);
            after();
        }
    }

    /** After each call into the connection that may have changed when it is due. */
    void after() {
        if (left) {
            return;
        }
        Connection sits = connection();
        if (sits.isStuck() && !retries) {
            retries = true;
            port.retry(() -> {
                retries = false;
                flush();
            });
        }
        arm(sits);
        settled.run();
    }

    private void arm(Connection sits) {
        long deadline = sits.deadline();
        if (deadline >= timerAt || left) {
            return;
        }
        if (timer != null) {
            timer.dispose();
        }
        timerAt = deadline;
        timer = port.loop().schedule(this::timePassed, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    }

    private void timePassed() {
        timer = null;
        timerAt = Long.MAX_VALUE;
        if (!left) {
            connection().timePassed(System.nanoTime());
            after();
        }
    }

    /** The interface can't be used any more. */
    void broken(WeirException reason) {
        if (isTaken()) {
            connection().breaks(reason);
        }
    }

    /** Nothing comes any more, and everything is let go. Idempotent. */
    void leave() {
        if (left) {
            return;
        }
        left = true;
        if (timer != null) {
            timer.dispose();
        }
        if (connection != null) {
            connection.release();
        }
        port.leave(this);
    }
}
