package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.functions;

import io.weir.core.Availability;
import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.verbs.VerbsLayout.Context;
import io.weir.transport.verbs.VerbsLayout.Event;
import io.weir.transport.verbs.VerbsLayout.Pair;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * Listens to what a device reports without being asked, on a thread of its own, which closes the device in the end.
 * Every event is acknowledged, as what it is about can't be freed before.
 */
final class DeviceWatch implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(VerbsTransport.class);

    private final long context;
    private final int gidIndex;
    private final int events;
    private final Descriptor end;
    private final Runnable failed;
    private final Runnable ended;
    private final ByteBuffer event = Structures.allocate(Event.BYTES);
    private final List<Consumer<Availability>> listeners = new CopyOnWriteArrayList<>();
    private volatile DevicePort port;
    /** What the listeners know, or would. Written under the lock of this object, as is telling them. */
    private volatile Availability known;

    private volatile boolean ending;

    private DeviceWatch(
            DeviceSearch.Found found, VerbsOptions.Choice choice, Descriptor end, Runnable failed, Runnable ended) {
        this.context = found.context();
        this.gidIndex = choice.gidIndex();
        this.events = Structures.at(context, Context.KNOWN).getInt(Context.ASYNC_FD);
        this.port = found.port();
        this.known = port.ready();
        this.end = end;
        this.failed = failed;
        this.ended = ended;
    }

    /**
     * Begins to listen.
     *
     * @param failed called when the device will never work again as it was opened
     * @param ended called last of all, after {@link #end}: nobody uses the device any longer
     */
    static DeviceWatch begin(DeviceSearch.Found found, VerbsOptions.Choice choice, Runnable failed, Runnable ended) {
        Descriptor end = null;
        try {
            end = Posix.event();
            DeviceWatch watch = new DeviceWatch(found, choice, end, failed, ended);
            Posix.neverBlock(watch.events);
            Thread thread = new Thread(watch, "weir-verbs-" + found.port().device());
            thread.setDaemon(true);
            thread.start();
            return watch;
        } catch (NativeFailure | OutOfMemoryError e) {
            if (end != null) {
                end.close();
            }
            throw new PeerUnavailable("the events of " + found.port() + " can't be listened to: " + e.getMessage(), e);
        }
    }

    /**
     * The port as it was when it was last looked at.
     *
     * @throws PeerUnavailable if it can't be used now
     */
    DevicePort port() {
        if (known instanceof Availability.Missing missing) {
            throw new PeerUnavailable(missing.reason());
        }
        return port;
    }

    /** Ends listening, and then the device. */
    void end() {
        ending = true;
        try {
            Posix.signal(end);
        } catch (NativeFailure e) {
            LOG.warn("The device {} can't be closed", port, e);
        }
    }

    Disposable listen(Consumer<Availability> listener) {
        synchronized (this) {
            listeners.add(listener);
            if (known instanceof Availability.Missing) {
                listener.accept(known);
            }
        }
        return () -> listeners.remove(listener);
    }

    @Override
    public void run() {
        try {
            while (!ending) {
                Posix.awaitReadable(events, end.number());
                takeAll();
            }
        } catch (WeirException | NativeFailure e) {
            fail("the events of " + port + " can't be listened to any longer: " + e.getMessage());
        }
        awaitEnd();
        end.close();
        ended.run();
    }

    private void awaitEnd() {
        while (!ending) {
            try {
                Posix.awaitReadable(end.number(), end.number());
            } catch (NativeFailure e) {
                LOG.warn("The device {} stays open", port, e);
                return;
            }
        }
    }

    private void takeAll() {
        while (functions().ibv_get_async_event(context, event) == 0) {
            AsyncEvent what = AsyncEvent.of(event.getInt(Event.TYPE));
            // For events of ports it is the number of one, else an address, and what lies there is there until we
            // acknowledge.
            long element = event.getLong(Event.ELEMENT);
            int subject = what.subject() == AsyncEvent.Subject.PAIR
                    ? Structures.at(element, Pair.KNOWN).getInt(Pair.NUMBER)
                    : (int) element;
            functions().ibv_ack_async_event(event);
            happened(what, subject);
        }
        int error = Posix.lastError();
        if (error != LibC.EAGAIN && error != LibC.EINTR) {
            throw VerbsLibrary.refused("reading", error, "");
        }
    }

    private void happened(AsyncEvent what, int subject) {
        if (what.isTrouble()) {
            LOG.warn("{}: {} (event {}, of {})", port, what.words(), what.number(), subject);
        } else {
            LOG.debug("{}: {} (event {}, of {})", port, what.words(), what.number(), subject);
        }
        if (what == AsyncEvent.DEVICE_FAILED) {
            fail(port + ": " + what.words() + "; start the process anew when it is back");
        } else if (what.subject() == AsyncEvent.Subject.PORT && subject == port.number()) {
            if (what == AsyncEvent.PORT_DOWN) {
                tell(new Availability.Missing(
                        port + " is down: look at its cable, or at its network interface (ip link)"));
            } else {
                look();
            }
        }
    }

    /** Its address may be another one, or it may be back. */
    private void look() {
        DevicePort before = port;
        try {
            DevicePort now = DeviceSearch.port(context, before.device(), before.number(), gidIndex);
            port = now;
            tell(now.ready());
        } catch (WeirException e) {
            tell(new Availability.Missing(String.valueOf(e.getMessage())));
        }
    }

    private void fail(String reason) {
        failed.run();
        tell(new Availability.Missing(reason));
    }

    private synchronized void tell(Availability now) {
        if (!now.equals(known)) {
            known = now;
            listeners.forEach(listener -> listener.accept(now));
        }
    }
}
