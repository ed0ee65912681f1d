package io.weir.benchmark.contender;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.weir.benchmark.contender.Quotes.Order;
import io.weir.benchmark.contender.Quotes.Quote;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** gRPC over TCP on this host, on its event loops alone. */
final class GrpcContender implements Contender {

    private static final MethodDescriptor<Order, Quote> QUOTE = MethodDescriptor.<Order, Quote>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("Quotes", "quote"))
            .setRequestMarshaller(new GrpcMarshaller<>(
                    (order, out) -> out.add(order.number(), order.quantity(), order.item()),
                    in -> new Order(in.number(), in.text(), (int) in.amount())))
            .setResponseMarshaller(new GrpcMarshaller<>(
                    (quote, out) -> out.add(quote.number(), quote.cents(), quote.currency()),
                    in -> new Quote(in.number(), in.amount(), in.text())))
            .build();

    private final Setup setup;
    private @Nullable Server server;
    private @Nullable ManagedChannel client;

    GrpcContender(Setup setup) {
        this.setup = setup;
    }

    @Override
    public String serve(Cell cell) throws Exception {
        ServerServiceDefinition service = ServerServiceDefinition.builder("Quotes")
                .addMethod(QUOTE, ServerCalls.asyncUnaryCall(this::answer))
                .build();
        Server started = NettyServerBuilder.forAddress(new InetSocketAddress(Loops.HOST, 0))
                .directExecutor()
                .addService(service)
                .build()
                .start();
        server = started;
        return Integer.toString(started.getPort());
    }

    private void answer(Order order, StreamObserver<Quote> answers) {
        setup.pinning().pinHere();
        answers.onNext(order.quote());
        answers.onCompleted();
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(Loops.HOST, Integer.parseInt(address)))
                .usePlaintext()
                .directExecutor()
                .build();
        client = channel;
        Conversation conversation = new Conversation(cell, meter, setup.pinning());
        List<Order> first = new ArrayList<>();
        for (int i = 0; i < cell.outstanding(); i++) {
            first.add(conversation.next());
        }
        meter.begin();
        first.forEach(order -> call(channel, order, conversation, meter));
        meter.await();
    }

    private static void call(ManagedChannel channel, Order order, Conversation conversation, Meter meter) {
        ClientCalls.asyncUnaryCall(channel.newCall(QUOTE, CallOptions.DEFAULT), order, new StreamObserver<>() {
            private boolean more;

            @Override
            public void onNext(Quote quote) {
                more = conversation.answered(order, quote);
            }

            @Override
            public void onError(Throwable failure) {
                meter.fail(failure);
            }

            @Override
            public void onCompleted() {
                if (more) {
                    call(channel, conversation.next(), conversation, meter);
                }
            }
        });
    }

    @Override
    public void close() throws InterruptedException {
        if (client != null) {
            client.shutdownNow().awaitTermination(Loops.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        if (server != null) {
            server.shutdownNow().awaitTermination(Loops.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
