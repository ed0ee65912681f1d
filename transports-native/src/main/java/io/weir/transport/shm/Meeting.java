package io.weir.transport.shm;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.nativelib.Posix;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is said on the socket: first each side's greeting, which shows the nonce that the other one offered, then the descriptor
 * of a memory file each way, then what {@link Doorbell} hears, until it ends.
 *
 * <p>A read for bytes would swallow descriptors that come alongside. So the accepting side greets only when it is reading
 * descriptors already, and the connecting side sends its own only then as well, which tells the accepting side to send.
 */
final class Meeting extends ChannelInboundHandlerAdapter {

    private static final Logger log = LoggerFactory.getLogger(Meeting.class);

    private static final int GREETING = 8 + Nonce.BYTES;

    private final ShmAgreement agreement;
    private final EpollDomainSocketChannel socket;
    private final boolean connecting;
    private final Nonce expected;
    private final byte[] greeting = new byte[GREETING];
    private int heard;
    private boolean proven;
    /** All was said: what comes is for the doorbell, and only the end is waited for here. */
    private boolean over;

    /**
     * One side of a conversation.
     *
     * @param expected what the other side must show
     */
    Meeting(ShmAgreement agreement, EpollDomainSocketChannel socket, boolean connecting, Nonce expected) {
        this.agreement = agreement;
        this.socket = socket;
        this.connecting = connecting;
        this.expected = expected;
    }

    EpollDomainSocketChannel socket() {
        return socket;
    }

    /** Whether the other side has shown that it has our offer. */
    boolean isProven() {
        return proven;
    }

    /** Shows the other side that we have its offer. */
    void greet(Nonce theirs) {
        ByteBuf bytes = socket.alloc().buffer(GREETING).writeLongLE(SegmentLayout.MAGIC);
        var unused = socket.writeAndFlush(bytes.writeBytes(theirs.bytes()))
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    /** Passes our segment's file, and closes it when that is done. */
    void pass(ShmHalf half) {
        var unused = socket.writeAndFlush(new FileDescriptor(half.file().number()))
                .addListener(ChannelFutureListener.CLOSE_ON_FAILURE)
                .addListener(done -> {
                    half.file().close();
                    if (done.isSuccess()) {
                        agreement.passed();
                    }
                });
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        try {
            checkUser();
            agreement.connected(this);
        } catch (WeirException e) {
            fail(e);
        }
    }

    private void checkUser() {
        int uid;
        try {
            uid = socket.peerCredentials().uid();
        } catch (IOException e) {
            throw new Refused("the system does not tell who is at the other end of the socket: " + e, e);
        }
        if (uid != Posix.uid()) {
            throw new Refused("the process at the other end of the socket belongs to uid " + uid + ", not to ours ("
                    + Posix.uid() + ")");
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        try {
            if (read instanceof FileDescriptor descriptor) {
                received(Posix.received(descriptor.intValue()));
            } else {
                hear((ByteBuf) read);
            }
        } catch (WeirException e) {
            fail(e);
        } catch (NativeFailure e) {
            fail(new PeerUnavailable("a descriptor of the peer can't be used: " + e.getMessage(), e));
        }
    }

    private void hear(ByteBuf bytes) {
        try {
            if (over) {
                // Netty reads to the end when the other side has closed the socket.
                return;
            }
            int length = bytes.readableBytes();
            if (length > GREETING - heard) {
                throw new ProtocolMismatch("more than a greeting came from the peer's socket");
            }
            var unused = bytes.readBytes(greeting, heard, length);
            heard += length;
        } finally {
            bytes.release();
        }
    }

    /** Not earlier: whoever reads bytes goes on doing so until there are none. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (proven || heard < GREETING || !socket.isActive()) {
            return;
        }
        try {
            checkGreeting();
            proven = true;
            var unused = socket.config().setReadMode(DomainSocketReadMode.FILE_DESCRIPTORS);
            agreement.met(this);
        } catch (WeirException e) {
            fail(e);
        }
    }

    private void checkGreeting() {
        ByteBuffer bytes = ByteBuffer.wrap(greeting).order(ByteOrder.LITTLE_ENDIAN);
        byte[] nonce = new byte[Nonce.BYTES];
        var unused = bytes.get(8, nonce);
        if (bytes.getLong(0) != SegmentLayout.MAGIC || !expected.matches(nonce)) {
            throw new ProtocolMismatch("whoever is at the other end of the socket does not have our offer");
        }
    }

    private void received(Descriptor memory) {
        over = true;
        var unused = socket.config().setReadMode(DomainSocketReadMode.BYTES).setAutoRead(false);
        agreement.received(memory);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        ended(new PeerUnavailable("the peer closed the socket before the shared memory was agreed on"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ended(new PeerUnavailable("the socket to the peer failed: " + cause, cause));
    }

    private void ended(WeirException reason) {
        close();
        if (isExpected()) {
            agreement.ended(reason);
        }
    }

    private void fail(WeirException reason) {
        close();
        if (isExpected()) {
            agreement.broken(reason);
        } else {
            log.info("Sent away from the socket for shared memory: {}", reason.getMessage());
        }
    }

    /** A guest who has proved nothing may be anybody: its failure is not that of the agreement. */
    private boolean isExpected() {
        return proven || connecting;
    }

    /** Ends the conversation. */
    void close() {
        var unused = socket.close();
    }
}
