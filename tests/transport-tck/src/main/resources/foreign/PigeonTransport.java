package foreign;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.weir.core.Availability;
import io.weir.core.Frame;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import java.util.Set;
import reactor.core.publisher.Mono;

/** A path that somebody else has written: the bootstrap connection under a name of its own. */
public final class PigeonTransport implements Transport {

    @Override
    public String name() {
        return "pigeon";
    }

    @Override
    public Set<String> options() {
        return Set.of("speed");
    }

    @Override
    public Availability availability(TransportSettings settings) {
        return new Availability.Ready("coo");
    }

    @Override
    public String reaches(PeerCard self, PeerCard peer) {
        return peer.ready().containsKey("pigeon") ? null : "the peer has no pigeons";
    }

    @Override
    public PendingLink prepare(LinkRequest request) {
        Link bootstrap = request.bootstrap();
        return new PendingLink() {
            @Override
            public byte[] offer() {
                return new byte[0];
            }

            @Override
            public Mono<Link> complete(byte[] theirs) {
                return Mono.just(new PigeonLink(bootstrap));
            }

            @Override
            public void close() {}
        };
    }

    private record PigeonLink(Link carrier) implements Link {

        @Override
        public String transport() {
            return "pigeon";
        }

        @Override
        public int maxFrame() {
            return carrier.maxFrame();
        }

        @Override
        public boolean takesInPlace(ByteBuf body) {
            return carrier.takesInPlace(body);
        }

        @Override
        public boolean takesRegions() {
            return carrier.takesRegions();
        }

        @Override
        public ByteBufAllocator allocator() {
            return carrier.allocator();
        }

        @Override
        public boolean offer(Frame frame) {
            return carrier.offer(frame);
        }

        @Override
        public void handler(LinkHandler handler) {
            carrier.handler(handler);
        }

        @Override
        public void close() {
            carrier.close();
        }
    }
}
