package io.weir.benchmark.contender;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslContext;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.NettyInbound;
import reactor.netty.NettyOutbound;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Reactor Netty over TCP on this host; before each message stands its length in four bytes. */
final class ReactorNettyContender implements Contender {

    private static final int PREFIX = Integer.BYTES;

    private final Setup setup;
    private final boolean tls;
    private final LoopResources loops = Loops.one();
    private final Pause pause;
    private @Nullable DisposableServer server;
    private @Nullable Connection client;

    ReactorNettyContender(Setup setup, boolean tls) {
        this.setup = setup;
        this.tls = tls;
        this.pause = new Pause(setup.pinning());
    }

    @Override
    public String serve(Cell cell) throws Exception {
        TcpServer plain = TcpServer.create();
        DisposableServer bound = (tls ? protectedServer(plain) : plain)
                .host(Loops.HOST)
                .port(0)
                .runOn(loops)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .doOnConnection(connection -> {
                    setup.pinning().pinHere();
                    connection.addHandlerLast(messages(cell, 0));
                })
                .handle((in, out) -> cell.scenario().isOneWay()
                        ? out.send(Stream.of(cell, prefixed(cell)))
                        : out.send(in.receive().retain()))
                .bindNow(Loops.PATIENCE);
        server = bound;
        return Integer.toString(bound.port());
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        Dialogue dialogue = new Dialogue(cell, meter, setup.pinning(), prefixed(cell));
        TcpClient plain = TcpClient.create();
        client = (tls ? protectedClient(plain) : plain)
                .host(Loops.HOST)
                .port(Integer.parseInt(address))
                .runOn(loops)
                .option(ChannelOption.TCP_NODELAY, true)
                .doOnConnected(connection -> connection.addHandlerLast(messages(cell, PREFIX)))
                .handle((in, out) -> {
                    meter.begin();
                    return Flux.from(exchange(cell, dialogue, meter, in, out)).doOnError(meter::fail);
                })
                .connectNow(Loops.PATIENCE);
        meter.await();
    }

    private TcpServer protectedServer(TcpServer plain) throws Exception {
        SslContext context = TlsMaterial.in(setup.folder()).server();
        return plain.secure(spec -> spec.sslContext(context));
    }

    private TcpClient protectedClient(TcpClient plain) throws Exception {
        SslContext context = TlsMaterial.in(setup.folder()).client();
        return plain.secure(spec -> spec.sslContext(context));
    }

    @Override
    public void close() {
        pause.close();
        if (client != null) {
            client.disposeNow(Loops.PATIENCE);
        }
        if (server != null) {
            server.disposeNow(Loops.PATIENCE);
        }
        Loops.close(loops);
    }

    /** Cuts what comes into whole messages, without the first {@code skipped} bytes of each. */
    private static ChannelHandler messages(Cell cell, int skipped) {
        return new LengthFieldBasedFrameDecoder(PREFIX + cell.size(), 0, PREFIX, 0, skipped);
    }

    private static IntFunction<ByteBuf> prefixed(Cell cell) {
        return size -> ByteBufAllocator.DEFAULT.directBuffer(PREFIX + size).writeInt(cell.size());
    }

    private Publisher<Void> exchange(Cell cell, Dialogue dialogue, Meter meter, NettyInbound in, NettyOutbound out) {
        if (cell.scenario().isOneWay()) {
            return in.receive().doOnNext(dialogue::arrived).then();
        }
        Flux<ByteBuf> first = Flux.range(0, cell.outstanding()).map(i -> dialogue.next());
        if (cell.scenario() == Scenario.SLEEP) {
            Sinks.Many<ByteBuf> later = Sinks.many().unicast().onBackpressureBuffer();
            return out.send(Flux.concat(first, later.asFlux()))
                    .then()
                    .and(answerAfterPauses(dialogue, meter, in, later));
        }
        Flux<ByteBuf> further = in.receive().handle((reply, sink) -> {
            if (dialogue.echoed(reply)) {
                sink.next(dialogue.next());
            }
        });
        return out.send(Flux.concat(first, further));
    }

    private Mono<Void> answerAfterPauses(Dialogue dialogue, Meter meter, NettyInbound in, Sinks.Many<ByteBuf> later) {
        return in.receive()
                .doOnNext(reply -> {
                    if (dialogue.echoed(reply)) {
                        pause.thenRun(() -> {
                            meter.resume();
                            later.tryEmitNext(dialogue.next()).orThrow();
                        });
                    }
                })
                .then();
    }
}
