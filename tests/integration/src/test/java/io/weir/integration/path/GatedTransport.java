package io.weir.integration.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Availability;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Shared memory with a device that a test commands: a link opens only while its {@link Gate} is open and may be jammed,
 * and the gate reports. Absent unless {@code weir.transport.gated.gate} names one.
 */
public final class GatedTransport implements Transport {

    static final String NAME = "gated";

    private static final String GATE = "gate";

    private static final Map<String, Gate> GATES = new ConcurrentHashMap<>();

    /** The device of one node. */
    static final class Gate {

        private static final AtomicInteger COUNT = new AtomicInteger();

        final String name = "gate-" + COUNT.incrementAndGet();
        private final Sinks.Many<Boolean> open = Sinks.many().replay().latest();
        private final Sinks.Many<Availability> reports =
                Sinks.many().multicast().directBestEffort();
        private final AtomicInteger asked = new AtomicInteger();
        private volatile boolean jammed;
        private volatile @Nullable FrameKind last;

        Gate(boolean isOpen) {
            GATES.put(name, this);
            open(isOpen);
        }

        /** Whether links open from now on, also those that wait for it. */
        void open(boolean isOpen) {
            open.emitNext(isOpen, Sinks.EmitFailureHandler.FAIL_FAST);
        }

        /** Whether nothing gets into its links any more, which don't break. */
        void jam(boolean isJammed) {
            jammed = isJammed;
        }

        /** Jams with the first frame of this kind. */
        void jamAt(FrameKind kind) {
            last = kind;
        }

        private boolean takes(Frame frame) {
            if (frame.kind() == last) {
                jammed = true;
                last = null;
            }
            return !jammed;
        }

        void reports(Availability report) {
            reports.emitNext(report, Sinks.EmitFailureHandler.FAIL_FAST);
        }

        /** How many nodes listen to its reports. */
        int listeners() {
            return reports.currentSubscriberCount();
        }

        /** How many links were begun. */
        int asked() {
            return asked.get();
        }
    }

    /** A link through a gate. */
    private record Jammable(Link link, Gate gate) implements Link {

        @Override
        public String transport() {
            return link.transport();
        }

        @Override
        public int maxFrame() {
            return link.maxFrame();
        }

        @Override
        public boolean takesInPlace(ByteBuf body) {
            return link.takesInPlace(body);
        }

        @Override
        public ByteBufAllocator allocator() {
            return link.allocator();
        }

        @Override
        public boolean offer(Frame frame) {
            return gate.takes(frame) && link.offer(frame);
        }

        @Override
        public void retain(long bytes) {
            link.retain(bytes);
        }

        @Override
        public boolean handBack(Consumer<Frame> to) {
            return link.handBack(to);
        }

        @Override
        public void handler(LinkHandler handler) {
            link.handler(handler);
        }

        @Override
        public void close() {
            link.close();
        }
    }

    private static @Nullable Gate gate(TransportSettings settings) {
        String name = settings.options().get(GATE);
        return name == null ? null : GATES.get(name);
    }

    private static Transport shm() {
        return ServiceLoader.load(Transport.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(transport -> transport.name().equals("shm"))
                .findFirst()
                .orElseThrow();
    }

    private static TransportSettings plain(TransportSettings settings) {
        return new TransportSettings(settings.runtimeFolder(), settings.nativeAllowed(), Map.of());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return Set.of(GATE);
    }

    @Override
    public Availability availability(TransportSettings settings) {
        return gate(settings) == null
                ? new Availability.Missing("no gate is wanted")
                : shm().availability(plain(settings));
    }

    @Override
    public Flux<Availability> reports(TransportSettings settings) {
        Gate gate = gate(settings);
        return gate == null ? Flux.never() : gate.reports.asFlux();
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return null;
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        Gate gate = gate(request.settings());
        if (gate == null) {
            throw new IllegalStateException("prepared without a gate");
        }
        gate.asked.incrementAndGet();
        PendingLink half = shm().prepare(new LinkRequest(
                request.self(),
                request.peer(),
                request.connecting(),
                request.loop(),
                request.bootstrap(),
                plain(request.settings())));
        return new PendingLink() {
            @Override
            public byte[] offer() {
                return half.offer();
            }

            @Override
            public Mono<Link> complete(byte[] theirs) {
                // On the loop, where attempts are given up too: Mono.flatMap overlooks a cancel that meets its value.
                return gate.open
                        .asFlux()
                        .filter(isOpen -> isOpen)
                        .next()
                        .publishOn(Schedulers.fromExecutor(request.loop()))
                        .flatMap(isOpen -> half.complete(theirs))
                        .map(link -> new Jammable(link, gate));
            }

            @Override
            public void close() {
                half.close();
            }
        };
    }
}
