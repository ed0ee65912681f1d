package io.weir.tck;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.PendingLink;
import io.weir.core.WeirException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One side of the steps by which two nodes agree on a path, over their bootstrap connection: OFFER both ways, then
 * OPENED both ways. Belongs to the node's loop.
 */
final class Agreement implements LinkHandler {

    private final NodePair nodes;
    private final NodePair.Node node;
    private final CompletableFuture<Link> opened = new CompletableFuture<>();
    private @Nullable PendingLink half;
    private @Nullable Link link;
    private boolean openThere;

    Agreement(NodePair nodes, NodePair.Node node) {
        this.nodes = nodes;
        this.node = node;
    }

    /** Prepares our half and sends the offer. */
    void begin() {
        End.runUnlessEnded(node.loop(), () -> {
            node.bootstrap().handler(this);
            PendingLink prepared = nodes.transport.prepare(nodes.request(node));
            half = prepared;
            send(FrameKind.OFFER, prepared.offer());
        });
    }

    /** The link, open on both sides. */
    Link open() throws ExecutionException, InterruptedException {
        Await.until("both nodes agree", opened::isDone);
        return opened.get();
    }

    @Override
    public void frame(Frame frame) {
        if (Hello.is(frame)) {
            frame.release();
            return;
        }
        byte[] bytes = ByteBufUtil.getBytes(frame.body());
        frame.release();
        PendingLink ours = half;
        if (frame.kind() == FrameKind.OFFER && ours != null) {
            var unused = ours.complete(bytes).subscribe(this::openHere, opened::completeExceptionally);
        } else if (frame.kind() == FrameKind.OPENED) {
            openThere = true;
            end();
        } else {
            opened.completeExceptionally(new AssertionError("not expected: " + frame));
        }
    }

    private void openHere(Link made) {
        link = made;
        send(FrameKind.OPENED, new byte[0]);
        end();
    }

    private void end() {
        Link made = link;
        if (openThere && made != null) {
            opened.complete(made);
        }
    }

    private void send(FrameKind kind, byte[] bytes) {
        if (!node.bootstrap().offer(new Frame().set(kind, 0, 0, 1).body(Unpooled.wrappedBuffer(bytes)))) {
            opened.completeExceptionally(new AssertionError("the bootstrap connection has no room for " + kind));
        }
    }

    @Override
    public void writable() {
        opened.completeExceptionally(new AssertionError("writable() without an offer that said no"));
    }

    @Override
    public void lost(WeirException reason) {
        opened.completeExceptionally(reason);
    }
}
