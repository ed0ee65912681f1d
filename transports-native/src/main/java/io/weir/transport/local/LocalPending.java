package io.weir.transport.local;

import io.weir.core.Link;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.ProtocolMismatch;
import io.weir.core.WeirException;
import java.nio.ByteBuffer;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** One half: the offer is a number under which the other half finds this one. */
final class LocalPending implements PendingLink {

    private static final int OFFER = 2 * Long.BYTES;

    private final LocalLink link;
    private boolean completed;

    LocalPending(LocalLink link) {
        this.link = link;
    }

    @Override
    public byte[] offer() {
        UUID number = link.number();
        return ByteBuffer.allocate(OFFER)
                .putLong(number.getMostSignificantBits())
                .putLong(number.getLeastSignificantBits())
                .array();
    }

    @Override
    public Mono<Link> complete(byte[] theirs) {
        return Mono.fromCallable(() -> {
            try {
                link.join(find(theirs));
            } catch (WeirException e) {
                close();
                throw e;
            }
            completed = true;
            return link;
        });
    }

    private static LocalLink find(byte[] theirs) {
        if (theirs.length != OFFER) {
            throw new ProtocolMismatch("the peer's offer for local has " + theirs.length + " bytes, not " + OFFER);
        }
        ByteBuffer bytes = ByteBuffer.wrap(theirs);
        LocalLink other = Halves.take(new UUID(bytes.getLong(), bytes.getLong()));
        if (other == null) {
            throw new PeerUnavailable("the other half of the local link is not in this process, or was given up");
        }
        return other;
    }

    @Override
    public void close() {
        if (!completed) {
            link.close();
        }
    }
}
