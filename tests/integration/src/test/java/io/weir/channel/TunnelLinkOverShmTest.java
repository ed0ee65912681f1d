package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.WeirException;
import io.weir.tck.LinkContract;
import io.weir.tck.LinkPair;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What every link promises, kept by one that leads through a gateway, over legs of shared memory. */
@Tag("whole")
class TunnelLinkOverShmTest implements LinkContract {

    private static final int LENGTH = 60_000;

    @Override
    public LinkPair open() throws Exception {
        Tunnel tunnel = Tunnel.open("shm");
        return new LinkPair(tunnel.first(), tunnel.firstLoop(), tunnel.second(), tunnel.secondLoop(), tunnel);
    }

    @Test
    void aBlockIsLentAsItLies() throws Exception {
        try (Tunnel tunnel = Tunnel.open("shm")) {
            CompletableFuture<Byte> last = new CompletableFuture<>();
            tunnel.secondLoop().execute(() -> tunnel.second().handler(new LastByte(last)));
            CompletableFuture<Integer> references = new CompletableFuture<>();

            tunnel.firstLoop().execute(() -> references.complete(offered(tunnel.first())));

            // A body that was copied has been released; what is lent comes back in a later turn of the loop.
            assertThat(references.get(Tunnel.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(1);
            assertThat(last.get(Tunnel.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo((byte) 7);
        }
    }

    private static int offered(Link link) {
        ByteBuf body = link.allocator().buffer(LENGTH).writeZero(LENGTH - 1).writeByte(7);
        boolean taken = link.offer(new Frame().set(FrameKind.DATA, 0, 1, 0, body));
        return taken ? body.refCnt() : -1;
    }

    private record LastByte(CompletableFuture<Byte> last) implements LinkHandler {

        @Override
        public void frame(Frame frame) {
            ByteBuf body = frame.body();
            last.complete(body.readableBytes() == LENGTH ? body.getByte(body.writerIndex() - 1) : -1);
            body.release();
        }

        @Override
        public void writable() {}

        @Override
        public void lost(WeirException reason) {
            last.completeExceptionally(reason);
        }
    }
}
