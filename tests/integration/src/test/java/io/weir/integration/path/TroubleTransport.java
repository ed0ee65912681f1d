package io.weir.integration.path;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.core.Availability;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.SessionLost;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.local.LocalTransport;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A path that fails as {@code weir.transport.trouble.mode} says, wherever an adapter may fail. Absent without it. */
public final class TroubleTransport implements Transport {

    static final String NAME = "trouble";

    /** Halves that were made and neither completed nor closed, and links that were not closed. */
    static final AtomicInteger OPEN = new AtomicInteger();

    private static final String MODE = "mode";

    /** Where it fails. */
    enum Mode {
        MISSING,
        AVAILABILITY_THROWS,
        UNREACHABLE,
        REACHES_THROWS,
        PREPARE_REFUSES,
        PREPARE_THROWS,
        OFFER_IS_HUGE,
        COMPLETE_FAILS,
        COMPLETE_NEVER,
        BREAKS_AT_ONCE,
        IS_DEAF,
        TAKES_NOTHING,
        WRONG_PEER,
        /** Works once for each node, like the path local. */
        WORKS_ONCE,
        WORKS
    }

    private final Transport local = new LocalTransport();
    private final AtomicInteger prepared = new AtomicInteger();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Set<String> options() {
        return Set.of(MODE);
    }

    private static Mode mode(TransportSettings settings) {
        return Mode.valueOf(settings.options().getOrDefault(MODE, "MISSING"));
    }

    @Override
    public Availability availability(TransportSettings settings) {
        return switch (mode(settings)) {
            case MISSING -> new Availability.Missing("trouble is not wanted");
            case AVAILABILITY_THROWS -> throw new IllegalStateException("the device is on fire");
            default -> new Availability.Ready(mode(settings).name());
        };
    }

    @Override
    public @Nullable String reaches(PeerCard self, PeerCard peer) {
        return switch (Mode.valueOf(self.ready().getOrDefault(NAME, "MISSING"))) {
            case UNREACHABLE -> "it is on the other side of the river";
            case REACHES_THROWS -> throw new IllegalStateException("no map");
            default -> null;
        };
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        Mode mode = mode(request.settings());
        return switch (mode) {
            case PREPARE_REFUSES -> throw new PeerUnavailable("the boat is full", null);
            case PREPARE_THROWS -> throw new IllegalStateException("the boat leaks");
            case WORKS_ONCE -> {
                if (prepared.getAndIncrement() > 0) {
                    throw new PeerUnavailable("the boat has left", null);
                }
                yield local.prepare(request);
            }
            case WORKS -> local.prepare(request);
            default -> new Half(mode, request);
        };
    }

    private static final class Half implements PendingLink {

        private final Mode mode;
        private final LinkRequest request;
        private boolean closed;

        Half(Mode mode, LinkRequest request) {
            this.mode = mode;
            this.request = request;
            OPEN.incrementAndGet();
        }

        @Override
        public byte[] offer() {
            return new byte[mode == Mode.OFFER_IS_HUGE ? 5_000 : 8];
        }

        @Override
        public Mono<Link> complete(byte[] theirs) {
            return switch (mode) {
                case COMPLETE_FAILS -> Mono.error(new PeerUnavailable("the bridge is up", null));
                case COMPLETE_NEVER -> Mono.never();
                default ->
                    Mono.fromSupplier(() -> {
                        OPEN.incrementAndGet();
                        return new BadLink(mode, request);
                    });
            };
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                OPEN.decrementAndGet();
            }
        }
    }

    /** A link that leads nowhere. */
    private static final class BadLink implements Link {

        private final Mode mode;
        private final LinkRequest request;
        private @Nullable LinkHandler handler;
        private boolean closed;

        BadLink(Mode mode, LinkRequest request) {
            this.mode = mode;
            this.request = request;
        }

        @Override
        public String transport() {
            return NAME;
        }

        @Override
        public int maxFrame() {
            return 64 << 10;
        }

        @Override
        public ByteBufAllocator allocator() {
            return UnpooledByteBufAllocator.DEFAULT;
        }

        @Override
        public boolean offer(Frame frame) {
            if (mode == Mode.TAKES_NOTHING || closed) {
                return false;
            }
            if (mode == Mode.WRONG_PEER && frame.kind() == FrameKind.PROBE) {
                int attempt = frame.aux();
                long round = frame.second();
                request.loop().execute(() -> {
                    if (handler != null) {
                        handler.frame(
                                new Frame().set(FrameKind.PROBED, 0, 0, attempt).words(4_711, round));
                    }
                });
            }
            frame.release();
            return true;
        }

        @Override
        public void handler(LinkHandler next) {
            handler = next;
            if (mode == Mode.BREAKS_AT_ONCE) {
                request.loop().schedule(this::breakDown, Duration.ZERO);
            }
        }

        private void breakDown() {
            LinkHandler told = handler;
            if (!closed && told != null) {
                close();
                told.lost(new SessionLost("the cable was cut", null));
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                handler = null;
                OPEN.decrementAndGet();
            }
        }
    }
}
