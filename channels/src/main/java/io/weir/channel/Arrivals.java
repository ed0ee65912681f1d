package io.weir.channel;

import io.weir.core.AuthenticationFailed;
import io.weir.core.Ends;
import io.weir.core.ForeignText;
import io.weir.core.Link;
import io.weir.core.Overloaded;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RareLog;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import io.weir.path.Dialled;
import io.weir.path.Logs;
import io.weir.path.TunnelledLink;
import io.weir.peer.Arrival;
import io.weir.peer.Arrival.Outcome;
import io.weir.peer.Identity;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Counts, logs and publishes what has become of the connections that others have made. Any thread may call. */
final class Arrivals {

    private final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);
    private final Sinks.Many<Arrival> sink = Sinks.many().multicast().directBestEffort();
    // Apart, so that those who are turned away do not keep the others out of the log.
    private final RareLog in = SessionLog.make(Logs.AUDIT);
    private final RareLog away = SessionLog.make(Logs.AUDIT);
    private final RareLog failures = new RareLog(Logs.NODE, System::nanoTime);

    Arrivals() {
        for (Outcome each : Outcome.values()) {
            counts.put(each, new LongAdder());
        }
    }

    /** Records the outcome of this connection, and what is known of the other side. */
    void add(Link link, @Nullable PeerId claimed, @Nullable Identity identity, Outcome outcome, String reason) {
        add(new Arrival(
                Instant.now(),
                from(link),
                claimed,
                identity,
                link.protection().encrypted(),
                outcome,
                ForeignText.harmless(reason)));
    }

    /** Records a connection whose TLS handshake has failed. */
    void addWithoutTls(SocketAddress from, String reason) {
        String figures = from instanceof InetSocketAddress inet ? Dialled.figures(inet) : "";
        add(new Arrival(Instant.now(), figures, null, null, false, Outcome.NO_TLS, ForeignText.harmless(reason)));
    }

    private void add(Arrival arrival) {
        count(arrival.outcome()).increment();
        (arrival.cameIn() ? in : away).debug(arrival::toString);
        // Sinks do not take signals of two threads at once, and these come from each loop.
        synchronized (sink) {
            try {
                var unused = sink.tryEmitNext(arrival);
            } catch (VirtualMachineError e) {
                // The loop has to know.
                throw e;
            } catch (Throwable t) {
                // Reactor hands on what it calls fatal, and what a subscriber throws against the rules. The connection
                // has no part in it.
                failures.warn("A subscriber to arrivals has failed: " + t);
            }
        }
    }

    /** The outcome of a handshake that has failed for this reason. */
    static Outcome outcome(WeirException reason) {
        if (reason instanceof AuthenticationFailed) {
            return Outcome.UNPROVED;
        }
        if (reason instanceof Overloaded) {
            return Outcome.OVERLOADED;
        }
        if (reason instanceof ProtocolMismatch) {
            return Outcome.BREACH;
        }
        if (reason instanceof TimedOut) {
            return Outcome.TIMED_OUT;
        }
        return reason instanceof PeerUnavailable ? Outcome.GONE : Outcome.REFUSED;
    }

    private static String from(Link link) {
        if (link instanceof TunnelledLink tunnel) {
            return "gateway " + tunnel.gateway();
        }
        Ends ends = link.ends();
        if (ends.far() != null) {
            return Dialled.figures(ends.far());
        }
        return ends.user() < 0 ? "" : "uid " + ends.user();
    }

    private LongAdder count(Outcome outcome) {
        return Objects.requireNonNull(counts.get(outcome));
    }

    long of(Outcome outcome) {
        return count(outcome).sum();
    }

    Flux<Arrival> flux() {
        return sink.asFlux();
    }
}
