package io.weir.transport.shm;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.weir.core.Misconfigured;
import io.weir.core.RuntimeFolder;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.Nonce;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which the connecting side finds us: of an unguessable name, in a folder that only our user can enter. Belongs
 * to the loop's thread.
 */
final class Rendezvous {

    private static final Logger log = LoggerFactory.getLogger(Rendezvous.class);

    /** The names of all such sockets, for a folder's list. */
    static final String NAMES = "shm-*.sock";

    /** Whoever gets here is our own user, so more than a few at once are a mistake, not an attack. */
    private static final int MAX_GUESTS = 16;

    private final Path path;
    private final Channel listener;
    private final Set<Channel> guests = new HashSet<>();

    private Rendezvous(Path path, Channel listener) {
        this.path = path;
        this.listener = listener;
    }

    /**
     * Listens.
     *
     * @param guest called with each connection before it is registered with the loop
     */
    static Rendezvous open(Path folder, NettyLoop loop, Consumer<EpollDomainSocketChannel> guest) {
        Path path = RuntimeFolder.open(folder)
                .toAbsolutePath()
                .resolve("shm-" + Nonce.random().hex() + ".sock");
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > ShmOffer.MAX_PATH) {
            throw new Misconfigured("the socket " + path + " would have a path of " + length + " bytes, where "
                    + ShmOffer.MAX_PATH + " are possible; name a shorter folder, weir.runtime-folder");
        }
        Rendezvous rendezvous = new Rendezvous(path, new EpollServerDomainSocketChannel());
        rendezvous.listen(loop.eventLoop(), guest);
        return rendezvous;
    }

    /** In one go, as we are on the loop: the peer may come as soon as it has our offer. */
    private void listen(EventLoop loop, Consumer<EpollDomainSocketChannel> guest) {
        listener.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object child) {
                welcome((EpollDomainSocketChannel) child, loop, guest);
            }
        });
        try {
            done(loop.register(listener));
            done(listener.bind(new DomainSocketAddress(path.toFile())));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException e) {
            close(null);
            throw new Misconfigured(
                    "the socket " + path + " can't be opened (" + e + "); name another folder, weir.runtime-folder", e);
        }
    }

    private static void done(ChannelFuture step) throws IOException {
        Throwable cause = step.cause();
        if (!step.isSuccess()) {
            throw new IOException(cause == null ? "not done at once" : cause.toString(), cause);
        }
    }

    private void welcome(EpollDomainSocketChannel child, EventLoop loop, Consumer<EpollDomainSocketChannel> guest) {
        if (guests.size() == MAX_GUESTS) {
            log.warn("more than {} connections to {}, where one is expected", MAX_GUESTS, path);
            child.unsafe().closeForcibly();
            return;
        }
        guests.add(child);
        var unused = child.closeFuture().addListener(closed -> guests.remove(child));
        guest.accept(child);
        var unusedStep = loop.register(child);
    }

    String path() {
        return path.toString();
    }

    /** Listens no longer, removes the socket's name, and sends away all guests but this one. */
    void close(@Nullable Channel expected) {
        var unused = listener.close();
        for (Channel guest : List.copyOf(guests)) {
            if (guest != expected) {
                var unusedStep = guest.close();
            }
        }
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn("the socket {} can't be removed", path, e);
        }
    }
}
