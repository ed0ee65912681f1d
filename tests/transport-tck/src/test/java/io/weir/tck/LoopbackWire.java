package io.weir.tck;

import com.kenai.jffi.MemoryIO;
import io.weir.core.SessionLost;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.rdma.Wire;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection within this process. Strict where a device would be: memory that is not registered, more
 * reads than allowed and messages longer than their slot end the connection; who has no slot ready lets the sender
 * wait.
 */
final class LoopbackWire implements Wire {

    private static final int AT_ONCE = 16;
    private static final int READS = 4;

    private final LoopbackDomain domain;
    private final Descriptor event;
    /** Of both ends: held for whatever touches either. */
    private final Object lock;

    private @Nullable LoopbackWire peer;
    private final Queue<Slot> ready = new ArrayDeque<>();
    private final Queue<Message> waiting = new ArrayDeque<>();
    private final Queue<Happening> happened = new ArrayDeque<>();
    private long sent;
    private int reads;
    private int unreported;
    private int reading;
    private boolean armed;
    private boolean closed;
    private @Nullable String broken;

    private record Slot(long address, int bytes) {}

    private record Message(long number, byte[] content, boolean report) {}

    private interface Happening {
        void tell(Completions to);
    }

    private LoopbackWire(LoopbackDomain domain, Object lock) {
        this.domain = domain;
        this.lock = lock;
        try {
            this.event = Posix.event();
        } catch (NativeFailure e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An end without another one. */
    static LoopbackWire open(LoopbackDomain domain, Object lock) {
        return new LoopbackWire(domain, lock);
    }

    /** Joins two ends that share a lock. */
    void join(LoopbackWire other) {
        synchronized (lock) {
            peer = other;
            other.peer = this;
        }
    }

    @Override
    public void receive(long address, int key, int bytes) {
        domain.checkLocal(address, key, bytes);
        synchronized (lock) {
            check();
            ready.add(new Slot(address, bytes));
            LoopbackWire other = peer;
            if (other != null) {
                other.carry();
            }
        }
    }

    @Override
    public void send(long address, int key, int bytes, boolean report) {
        domain.checkLocal(address, key, bytes);
        synchronized (lock) {
            check();
            byte[] content = new byte[bytes];
            MemoryIO.getInstance().getByteArray(address, content, 0, bytes);
            boolean told = report || ++unreported == 8;
            unreported = told ? 0 : unreported;
            waiting.add(new Message(++sent, content, told));
            carry();
        }
    }

    private void carry() {
        LoopbackWire other = peer;
        while (other != null && broken == null && !waiting.isEmpty() && !other.ready.isEmpty()) {
            Message message = waiting.remove();
            Slot slot = other.ready.remove();
            if (other.closed || message.content.length > slot.bytes) {
                breaks("a message of " + message.content.length + " bytes found a slot of " + slot.bytes);
                return;
            }
            MemoryIO.getInstance().putByteArray(slot.address, message.content, 0, message.content.length);
            other.happens(to -> to.received(message.content.length));
            if (message.report) {
                happens(to -> to.sent(message.number));
            }
        }
    }

    @Override
    public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
        domain.checkLocal(address, key, bytes);
        synchronized (lock) {
            check();
            reads++;
            if (++reading > READS) {
                throw new AssertionError("more than " + READS + " reads are under way");
            }
            LoopbackWire other = peer;
            if (other == null || other.closed || !other.domain.isReadable(remoteAddress, remoteKey, bytes)) {
                breaks("the peer does not let us read");
                return;
            }
            MemoryIO.getInstance().copyMemory(remoteAddress, address, bytes);
            happens(to -> {
                synchronized (lock) {
                    reading--;
                }
                to.read(token);
            });
        }
    }

    @Override
    public int maxReads() {
        return READS;
    }

    private void happens(Happening happening) {
        happened.add(happening);
        ring();
    }

    private void ring() {
        if (armed) {
            armed = false;
            try {
                Posix.signal(event);
            } catch (NativeFailure e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void breaks(String reason) {
        if (broken == null) {
            broken = reason;
            ring();
        }
    }

    /** As if the cable were cut. */
    void cut() {
        synchronized (lock) {
            breaks("the cable was cut");
            LoopbackWire other = peer;
            if (other != null) {
                other.breaks("the cable was cut");
            }
        }
    }

    /** How many messages were sent from this end. */
    long sends() {
        synchronized (lock) {
            return sent;
        }
    }

    /** How often this end has read from the other one. */
    int reads() {
        synchronized (lock) {
            return reads;
        }
    }

    private void check() {
        if (closed) {
            throw new AssertionError("the wire is used after it was closed");
        }
    }

    @Override
    public int poll(Completions to) {
        int count = 0;
        while (count < AT_ONCE) {
            Happening next;
            synchronized (lock) {
                check();
                next = happened.poll();
                if (next == null) {
                    if (broken != null) {
                        throw new SessionLost("the loopback wire has ended: " + broken);
                    }
                    return count;
                }
            }
            next.tell(to);
            count++;
        }
        return count;
    }

    @Override
    public boolean arm() {
        synchronized (lock) {
            check();
            armed = happened.isEmpty() && broken == null;
            return armed;
        }
    }

    @Override
    public int descriptor() {
        return event.number();
    }

    @Override
    public void awake() {
        try {
            Posix.clear(event);
        } catch (NativeFailure e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the peer sends from here on is answered by nobody. */
    @Override
    public void close() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
            LoopbackWire other = peer;
            peer = null;
            if (other != null) {
                other.peer = null;
                other.lost();
            }
        }
        event.close();
    }

    private void lost() {
        if (!waiting.isEmpty()) {
            breaks("the peer does not answer");
        }
    }
}
