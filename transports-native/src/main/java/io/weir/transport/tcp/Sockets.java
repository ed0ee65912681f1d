package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketChannel;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.transport.loop.NettyLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What connecting and listening have in common: addresses and socket options. */
final class Sockets {

    private Sockets() {}

    /** All addresses of this host. Names are looked up on a thread that may block. */
    static Mono<List<SocketAddress>> resolve(PeerAddress address) {
        if (address.isUnix()) {
            return Mono.just(List.of(new DomainSocketAddress(address.host())));
        }
        InetAddress literal = TcpOptions.literal(address.host());
        if (literal != null) {
            return Mono.just(List.of(new InetSocketAddress(literal, address.port())));
        }
        return Mono.fromCallable(() -> lookUp(address)).subscribeOn(Schedulers.boundedElastic());
    }

    private static List<SocketAddress> lookUp(PeerAddress address) throws UnknownHostException {
        List<SocketAddress> found = new ArrayList<>();
        for (InetAddress each : InetAddress.getAllByName(address.host())) {
            found.add(new InetSocketAddress(each, address.port()));
        }
        return found;
    }

    /** What a failure says; its class, if it says nothing. */
    static String text(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }

    /**
     * Checks that the loop can have this kind of socket.
     *
     * @throws Misconfigured naming the address and the remedy
     */
    static void checkKind(PeerAddress address, NettyLoop loop) {
        if (address.isUnix() && !loop.onEpoll()) {
            throw new Misconfigured(
                    address + " can't be used: Unix-domain sockets need epoll, which is not there or switched"
                            + " off (weir.native); use a tcp address");
        }
    }

    /**
     * Whether the network is to blame: the kernel has heard nothing, or knows no way, while a peer that is gone makes
     * it hear an end.
     */
    static boolean isUnreachable(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        // What the C library calls ETIMEDOUT, EHOSTUNREACH, ENETUNREACH and ENETDOWN; the JDK tells no numbers.
        return text.contains("timed out")
                || text.contains("No route to host")
                || text.contains("Network is unreachable")
                || text.contains("Network is down");
    }

    /** Sets the options of a connection, whoever began it, before it is used. */
    static void configure(Channel channel, TcpOptions options) {
        ChannelConfig config = channel.config();
        int highWater = options.highWater();
        config.setWriteBufferWaterMark(new WriteBufferWaterMark(highWater / 2, highWater));
        if (!(channel instanceof DomainSocketChannel)) {
            set(config, ChannelOption.TCP_NODELAY, options.noDelay());
            // Only epoll can; elsewhere the kernel repeats for a quarter of an hour, and weir.keepalive.timeout counts.
            var unused = config.setOption(EpollChannelOption.TCP_USER_TIMEOUT, (int)
                    options.userTimeout().toMillis());
        }
        if (options.sendBuffer() > 0) {
            set(config, ChannelOption.SO_SNDBUF, options.sendBuffer());
        }
        if (options.receiveBuffer() > 0) {
            set(config, ChannelOption.SO_RCVBUF, options.receiveBuffer());
        }
    }

    private static <T> void set(ChannelConfig config, ChannelOption<T> option, T value) {
        if (!config.setOption(option, value)) {
            throw new IllegalStateException(option + " is unknown to " + config.getClass());
        }
    }
}
