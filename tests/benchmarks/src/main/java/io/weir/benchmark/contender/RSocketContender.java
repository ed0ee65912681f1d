package io.weir.benchmark.contender;

import io.netty.buffer.ByteBufAllocator;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.ByteBufPayload;
import io.rsocket.util.EmptyPayload;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** RSocket over TCP on this host: request/response, request/stream and request/channel. */
final class RSocketContender implements Contender {

    private final Setup setup;
    private final LoopResources loops = Loops.one();
    private final Pause pause;
    private @Nullable CloseableChannel server;
    private @Nullable RSocket client;

    RSocketContender(Setup setup) {
        this.setup = setup;
        this.pause = new Pause(setup.pinning());
    }

    @Override
    public String serve(Cell cell) {
        TcpServer tcp = TcpServer.create()
                .host(Loops.HOST)
                .port(0)
                .runOn(loops)
                .doOnConnection(connection -> setup.pinning().pinHere());
        CloseableChannel bound = RSocketServer.create(SocketAcceptor.with(new Echo(cell)))
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .bindNow(TcpServerTransport.create(tcp));
        server = bound;
        return Integer.toString(bound.address().getPort());
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        TcpClient tcp = TcpClient.create()
                .host(Loops.HOST)
                .port(Integer.parseInt(address))
                .runOn(loops);
        RSocket socket = Objects.requireNonNull(RSocketConnector.create()
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(TcpClientTransport.create(tcp))
                .block(Loops.PATIENCE));
        client = socket;
        Dialogue dialogue = new Dialogue(cell, meter, setup.pinning(), ByteBufAllocator.DEFAULT::directBuffer);
        meter.begin();
        switch (cell.scenario()) {
            case ONE_WAY, CHECKED -> stream(socket, cell, dialogue, meter);
            case ASK -> askAll(socket, cell, dialogue, meter);
            default -> channel(socket, cell, dialogue, meter);
        }
        meter.await();
    }

    @Override
    public void close() {
        pause.close();
        if (client != null) {
            client.dispose();
        }
        if (server != null) {
            server.dispose();
        }
        Loops.close(loops);
    }

    private void stream(RSocket socket, Cell cell, Dialogue dialogue, Meter meter) {
        Disposable unused = socket.requestStream(EmptyPayload.INSTANCE)
                .limitRate(Loops.window(cell))
                .subscribe(
                        message -> {
                            try {
                                dialogue.arrived(message.sliceData());
                            } finally {
                                message.release();
                            }
                        },
                        meter::fail);
    }

    /** All are made before the first one is answered, because answers make further ones, on the loop. */
    private void askAll(RSocket socket, Cell cell, Dialogue dialogue, Meter meter) {
        List<Payload> first = new ArrayList<>();
        for (int i = 0; i < cell.outstanding(); i++) {
            first.add(ByteBufPayload.create(dialogue.next()));
        }
        for (int i = 0; i < first.size(); i++) {
            ask(socket, first.get(i), i, dialogue, meter);
        }
    }

    private void ask(RSocket socket, Payload request, long number, Dialogue dialogue, Meter meter) {
        Disposable unused = socket.requestResponse(request)
                .subscribe(
                        reply -> {
                            boolean more;
                            try {
                                more = dialogue.replied(reply.sliceData(), number);
                            } finally {
                                reply.release();
                            }
                            if (more) {
                                Payload next = ByteBufPayload.create(dialogue.next());
                                ask(socket, next, dialogue.lastSent(), dialogue, meter);
                            }
                        },
                        meter::fail);
    }

    private void channel(RSocket socket, Cell cell, Dialogue dialogue, Meter meter) {
        Sinks.Many<Payload> requests = Sinks.many().unicast().onBackpressureBuffer();
        for (int i = 0; i < cell.outstanding(); i++) {
            send(requests, dialogue);
        }
        Disposable unused = socket.requestChannel(requests.asFlux())
                .subscribe(
                        reply -> {
                            boolean more;
                            try {
                                more = dialogue.echoed(reply.sliceData());
                            } finally {
                                reply.release();
                            }
                            if (more && cell.scenario() == Scenario.SLEEP) {
                                pause.thenRun(() -> {
                                    meter.resume();
                                    send(requests, dialogue);
                                });
                            } else if (more) {
                                send(requests, dialogue);
                            }
                        },
                        meter::fail);
    }

    private static void send(Sinks.Many<Payload> requests, Dialogue dialogue) {
        requests.tryEmitNext(ByteBufPayload.create(dialogue.next())).orThrow();
    }

    /** The server's side of all interactions. */
    private record Echo(Cell cell) implements RSocket {

        @Override
        public Mono<Payload> requestResponse(Payload request) {
            return Mono.just(request);
        }

        @Override
        public Flux<Payload> requestStream(Payload request) {
            request.release();
            return Stream.of(cell, ByteBufAllocator.DEFAULT::directBuffer).map(ByteBufPayload::create);
        }

        @Override
        public Flux<Payload> requestChannel(Publisher<Payload> requests) {
            return Flux.from(requests);
        }
    }
}
