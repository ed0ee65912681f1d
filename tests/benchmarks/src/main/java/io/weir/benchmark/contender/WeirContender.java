package io.weir.benchmark.contender;

import io.weir.channel.Channel;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.DirectoryKind;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.Repath;
import io.weir.config.Requirement;
import io.weir.core.Message;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Weir over one path, as its users have it: pipelines between what a channel receives and what it sends. */
final class WeirContender implements Contender {

    private static final String PORT = "bench";
    /**
     * In a circle of two pipelines, each asks for no more than the other has asked for; some messages must be welcome
     * unasked, or the circle stands still when the first credit is used up.
     */
    private static final int PREFETCH = 256;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String path;
    private final Setup setup;
    private final boolean tls;
    private final Repath repath;
    private final boolean typed;
    private final boolean mixed;
    private final Pause pause;
    private @Nullable Node node;
    private volatile @Nullable Memory before;

    /** @param setup its variant is the way of {@link Waiting} */
    WeirContender(String path, Setup setup, boolean tls, Repath repath) {
        this(path, setup, tls, repath, false, false);
    }

    private WeirContender(String path, Setup setup, boolean tls, Repath repath, boolean typed, boolean mixed) {
        this.typed = typed;
        this.mixed = mixed;
        this.tls = tls;
        this.repath = repath;
        this.path = path;
        this.setup = setup;
        this.pause = new Pause(setup.pinning());
    }

    /** One that exchanges values with an in-place codec instead of messages. */
    static WeirContender typed(String path, Setup setup) {
        return new WeirContender(path, setup, false, Repath.ALWAYS, true, false);
    }

    /** One whose program has done much else with its peer before it is measured. */
    static WeirContender mixed(String path, Setup setup) {
        return new WeirContender(path, setup, false, Repath.ALWAYS, false, true);
    }

    /** The ways of waiting to choose the better of; what sleeps must be allowed to. */
    static List<String> variants(Cell cell) {
        return switch (cell.scenario()) {
            case SLEEP, IDLE, STALL -> List.of(label(Waiting.BALANCED));
            default -> List.of(label(Waiting.BALANCED), label(Waiting.LATENCY));
        };
    }

    private static String label(Waiting waiting) {
        return waiting.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String serve(Cell cell) {
        Node serving = start("bench-server");
        if (mixed) {
            Mixture.serve(serving);
        }
        if (cell.scenario().isCall()) {
            WeirCalls.serve(serving, setup.pinning());
            return serving.address().toString();
        }
        Disposable unused = cell.scenario() == Scenario.ASK
                ? typed ? WeirValues.answer(serving, PORT, cell) : serving.answer(PORT, this::answer)
                : serving.serve(PORT, channel -> serve(cell, channel));
        return serving.address().toString();
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        Peer peer = peer(start("bench-client"), address);
        if (mixed) {
            Mixture.play(peer);
        }
        if (cell.scenario().isCall()) {
            WeirCalls.drive(
                    Objects.requireNonNull(node), peer, cell, new Conversation(cell, meter, setup.pinning()), meter);
        } else if (cell.scenario() == Scenario.ASK) {
            if (typed) {
                WeirValues.askAll(peer, PORT, cell, meter, setup.pinning());
            } else {
                askAll(peer, cell, meter);
            }
        } else {
            exchange(Objects.requireNonNull(peer.channel(PORT).block(PATIENCE)), cell, meter);
        }
        meter.await();
    }

    @Override
    public long heldBytes() {
        Memory then = before;
        return then == null ? 0 : Memory.now().since(then);
    }

    @Override
    public void close() {
        pause.close();
        if (node != null) {
            node.close().block(PATIENCE);
        }
    }

    private Node start(String name) {
        NodeSpec.Builder spec = NodeSpec.builder()
                .name(name)
                .runtimeFolder(setup.folder())
                .directory(DirectoryKind.OFF)
                .waiting(Waiting.valueOf(setup.variant().toUpperCase(Locale.ROOT)))
                .order(path)
                .path(path, PathSwitch.REQUIRED)
                .repath(repath)
                // Nothing of this is measured, and native libraries load slowly where others compete for the
                // processors.
                .handshakeTimeout(PATIENCE)
                .stepTimeout(PATIENCE)
                .tls(tls ? TlsMaterial.in(setup.folder()).spec() : TlsSpec.OFF);
        optionsByEnvironment(spec);
        if (!setup.listen().isEmpty()) {
            // There is nobody else in that network.
            spec.listen(List.of(PeerAddress.parse("tcp://" + setup.listen()))).require(Requirement.NONE);
        }
        Node started = Objects.requireNonNull(Node.start(spec.build()).block(PATIENCE));
        node = started;
        return started;
    }

    /** Such as where the path's library is; what else is said there is no matter of a measurement. */
    private void optionsByEnvironment(NodeSpec.Builder spec) {
        String prefix = "WEIR_TRANSPORT_" + path.toUpperCase(Locale.ROOT) + '_';
        System.getenv().forEach((name, value) -> {
            if (name.startsWith(prefix)) {
                String option =
                        name.substring(prefix.length()).toLowerCase(Locale.ROOT).replace('_', '-');
                var unused = spec.transportOption(path, option, value);
            }
        });
    }

    private static Peer peer(Node client, String address) {
        return Objects.requireNonNull(client.connect(PeerAddress.parse(address)).block(PATIENCE));
    }

    private Mono<Message> answer(Message request) {
        setup.pinning().pinHere();
        return Mono.just(request);
    }

    /** Runs on the loop, as do the pipelines. */
    private Mono<Void> serve(Cell cell, Channel channel) {
        setup.pinning().pinHere();
        if (typed) {
            return WeirValues.serve(cell, channel);
        }
        if (cell.scenario() == Scenario.STALL) {
            // The first buffer of all makes the allocator take more than it needs.
            channel.allocator().buffer(cell.size()).release();
            before = Memory.now();
        }
        if (cell.scenario().isOneWay()) {
            return Stream.of(cell, channel.allocator()::buffer).map(Message::of).as(channel::send);
        }
        Flux<Message> received = channel.receive(PREFETCH);
        if (cell.scenario() == Scenario.LOANED) {
            Payload payload = new Payload(cell.size());
            return received.map(message -> numbered(message, payload, channel)).as(channel::send);
        }
        return received.map(message -> Message.of(message.control(), message.payload()))
                .as(channel::send);
    }

    /** An answer in memory of its own: to send back what the peer has lent would copy it. */
    private static Message numbered(Message message, Payload payload, Channel channel) {
        long number = Payload.sequence(message.payload());
        message.release();
        return Message.of(payload.writeNumberTo(channel.allocator().buffer(payload.size()), number));
    }

    private void exchange(Channel channel, Cell cell, Meter meter) {
        if (typed) {
            WeirValues.exchange(channel, cell, meter, setup.pinning());
            return;
        }
        Dialogue dialogue = new Dialogue(cell, meter, setup.pinning(), channel.allocator()::buffer);
        meter.begin();
        if (cell.scenario() == Scenario.STALL) {
            before = Memory.now();
            askOnce(channel, meter);
            return;
        }
        if (cell.scenario().isOneWay()) {
            consume(channel, dialogue, meter);
            return;
        }
        Flux<Message> first = Flux.range(0, cell.outstanding()).map(i -> Message.of(dialogue.next()));
        Flux<Message> further =
                cell.scenario() == Scenario.SLEEP ? afterPauses(channel, dialogue, meter) : atOnce(channel, dialogue);
        Disposable unused = Flux.concat(first, further).as(channel::send).subscribe(nothing -> {}, meter::fail);
    }

    private static void consume(Channel channel, Dialogue dialogue, Meter meter) {
        Disposable unused = channel.receive()
                .map(message -> {
                    dialogue.arrived(message.payload());
                    return message;
                })
                .subscribe(Message::release, meter::fail);
    }

    private static void askOnce(Channel channel, Meter meter) {
        channel.receive().subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            protected void hookOnNext(Message message) {
                message.release();
            }

            @Override
            protected void hookOnError(Throwable failure) {
                meter.fail(failure);
            }
        });
    }

    private static Flux<Message> atOnce(Channel channel, Dialogue dialogue) {
        return channel.receive(PREFETCH)
                .filter(reply -> echoed(dialogue, reply))
                .map(reply -> Message.of(dialogue.next()));
    }

    private Flux<Message> afterPauses(Channel channel, Dialogue dialogue, Meter meter) {
        Sinks.Many<Message> later = Sinks.many().unicast().onBackpressureBuffer();
        Disposable unused = channel.receive(PREFETCH)
                .subscribe(
                        reply -> {
                            if (echoed(dialogue, reply)) {
                                pause.thenRun(() -> {
                                    meter.resume();
                                    later.tryEmitNext(Message.of(dialogue.next()))
                                            .orThrow();
                                });
                            }
                        },
                        meter::fail);
        return later.asFlux();
    }

    private static boolean echoed(Dialogue dialogue, Message reply) {
        try {
            return dialogue.echoed(reply.payload());
        } finally {
            reply.release();
        }
    }

    private void askAll(Peer peer, Cell cell, Meter meter) {
        Dialogue dialogue = new Dialogue(cell, meter, setup.pinning(), peer.allocator()::buffer);
        List<Message> first = new ArrayList<>();
        for (int i = 0; i < cell.outstanding(); i++) {
            first.add(Message.of(dialogue.next()));
        }
        meter.begin();
        for (int i = 0; i < first.size(); i++) {
            ask(peer, first.get(i), i, dialogue, meter);
        }
    }

    private static void ask(Peer peer, Message request, long number, Dialogue dialogue, Meter meter) {
        Disposable unused = peer.ask(PORT, request)
                .subscribe(
                        reply -> {
                            boolean more;
                            try {
                                more = dialogue.replied(reply.payload(), number);
                            } finally {
                                reply.release();
                            }
                            if (more) {
                                Message next = Message.of(dialogue.next());
                                ask(peer, next, dialogue.lastSent(), dialogue, meter);
                            }
                        },
                        meter::fail);
    }
}
