package io.weir.integration.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Message;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Pair;
import io.weir.integration.Parcels;
import io.weir.integration.Patience;
import io.weir.integration.Payloads;
import io.weir.integration.Probe;
import io.weir.integration.Route;
import io.weir.integration.Sizes;
import io.weir.tck.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Every message arrives once, whole and in its order. */
interface DeliveryContract extends OnRoute {

    int LONGEST = 64 << 20;

    @Test
    default void everySizeComesBackWhole(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().serve("echo", channel -> channel.send(channel.receive()));
        int[] sizes = IntStream.concat(
                        IntStream.of(0, LONGEST),
                        IntStream.of(Sizes.edges(
                                1, 8, 64, 256, 1 << 10, 2 << 10, 4 << 10, 32 << 10, 64 << 10, 1 << 20, 4 << 20)))
                .toArray();
        byte[] content = new byte[LONGEST];
        Seed.random("sizes").nextBytes(content);

        Flux<Message> source = Flux.range(0, sizes.length).map(i -> piece(content, sizes[i]));
        AtomicInteger next = new AtomicInteger();
        pair.peer()
                .exchange("echo", source)
                .doOnNext(message -> {
                    int size = sizes[next.getAndIncrement()];
                    assertThat(message.size()).isEqualTo(size);
                    assertThat(Parcels.digest(message.payload()))
                            .as("digest of %d bytes", size)
                            .isEqualTo(Parcels.digest(Unpooled.wrappedBuffer(content, 0, size)));
                    message.release();
                })
                .then()
                .block(Patience.LIMIT);

        assertThat(next).hasValue(sizes.length);
    }

    private static Message piece(byte[] content, int size) {
        ByteBuf payload = size % 2 == 0 ? Payloads.direct(size) : Payloads.heap(size);
        return Message.of(payload.writeBytes(content, 0, size));
    }

    @Test
    default void bothDirectionsKeepTheirOrder(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("both");
        Parcels out = new Parcels(Seed.of("out"), Sizes.MIXED);
        Parcels back = new Parcels(Seed.of("back"), Sizes.MIXED);
        int count = 5_000;

        Probe<Message> atFar = Probe.of(Long.MAX_VALUE, out.checker());
        Probe<Message> atNear = Probe.of(Long.MAX_VALUE, back.checker());
        ends.far().receive().subscribe(atFar);
        ends.near().receive().subscribe(atNear);
        Probe<Void> sent = Probe.end();
        Flux.merge(ends.near().sendDelivered(out.flux(count)), ends.far().sendDelivered(back.flux(count)))
                .subscribe(sent);

        sent.awaitComplete();
        assertThat(atFar.awaitComplete().received()).isEqualTo(count);
        assertThat(atNear.awaitComplete().received()).isEqualTo(count);
    }

    @Test
    default void manyChannelsAtOnce(Nodes nodes) {
        Pair pair = nodes.pair();
        AtomicInteger served = new AtomicInteger();
        var unused = pair.far().serve("many", channel -> {
            served.incrementAndGet();
            return channel.send(channel.receive());
        });
        int count = 300;

        Flux.range(0, 100)
                .flatMap(
                        i -> {
                            Parcels parcels = new Parcels(Seed.of("many") + i, i % 10 == 0 ? Sizes.LONG : Sizes.MIXED);
                            long here = i % 10 == 0 ? 2 : count;
                            return pair.peer()
                                    .exchange("many", parcels.flux(here))
                                    .doOnNext(parcels.checker())
                                    .count()
                                    .doOnNext(n -> assertThat(n).isEqualTo(here));
                        },
                        100)
                .then()
                .block(Patience.LIMIT);

        assertThat(served).hasValue(100);
    }

    /** A long message goes in pieces, and what is small passes between them. */
    @Test
    default void smallMessagesPassALongOne(Nodes nodes) {
        assumeTrue(route() != Route.LOCAL, "within one JVM a message of any length is handed over as it is");
        // A window that covers the long message, so that it begins at once.
        Pair pair = nodes.pair(spec -> spec.windowBytes(2L * LONGEST));
        Pair.Ends small = pair.open("small");
        Pair.Ends bulk = pair.open("bulk");
        AtomicBoolean arrived = new AtomicBoolean();
        AtomicInteger before = new AtomicInteger();
        small.far().send(small.far().receive()).subscribe();
        bulk.far().receive().subscribe(message -> {
            arrived.set(true);
            message.release();
        });
        Probe<Message> answers = Probe.of(Long.MAX_VALUE, message -> {
            if (!arrived.get()) {
                before.incrementAndGet();
            }
            message.release();
        });
        small.near().receive().subscribe(answers);

        Probe<Void> sent = Probe.end();
        bulk.near()
                .sendDelivered(Flux.just(Message.of(Payloads.heap(LONGEST).writerIndex(LONGEST))))
                .subscribe(sent);
        small.near()
                .send(Flux.<Message>generate(sink -> sink.next(Message.of("?"))).takeUntil(message -> arrived.get()))
                .subscribe();

        sent.awaitComplete();
        answers.awaitComplete();
        assertThat(before).hasPositiveValue();
    }

    @Test
    default void anyKindOfBufferCanBeSent(Nodes nodes) {
        Pair pair = nodes.pair();
        var unused = pair.far().serve("echo", channel -> channel.send(channel.receive()));
        List<Message> messages = new ArrayList<>();
        for (int size : new int[] {5, 3_000, 200_000}) {
            ByteBuf slice = Payloads.heap(size + 9)
                    .writeZero(7)
                    .writeBytes(pattern(size))
                    .skipBytes(7);
            ByteBuf composite = Unpooled.compositeBuffer()
                    .addComponent(true, Payloads.heap(size / 2).writeBytes(pattern(size), 0, size / 2))
                    .addComponent(true, Payloads.direct(size).writeBytes(pattern(size), size / 2, size - size / 2));
            messages.add(Message.of(slice));
            messages.add(Message.of(composite));
            messages.add(Message.of(Unpooled.wrappedBuffer(pattern(size)).asReadOnly()));
            messages.add(Message.of(Payloads.direct(size + 4)
                    .writeZero(4)
                    .writeBytes(pattern(size))
                    .readSlice(size + 4)
                    .skipBytes(4)));
        }

        StepVerifier.create(pair.peer()
                        .exchange("echo", Flux.fromIterable(messages))
                        .map(message -> {
                            byte[] bytes = message.bytes();
                            message.release();
                            return bytes;
                        })
                        .doOnNext(bytes -> assertThat(bytes).isEqualTo(pattern(bytes.length)))
                        .map(bytes -> bytes.length))
                .expectNext(5, 5, 5, 5, 3_000, 3_000, 3_000, 3_000, 200_000, 200_000, 200_000, 200_000)
                .expectComplete()
                .verify(Patience.LIMIT);
    }

    private static byte[] pattern(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (i * 31);
        }
        return bytes;
    }

    /**
     * Memory that the channel gives suits its path best; whatever it is, it comes from any thread and is given back.
     */
    @Test
    default void payloadsInMemoryOfTheChannel(Nodes nodes) {
        Pair.Ends ends = nodes.pair().open("allocator");
        Parcels parcels = new Parcels(Seed.of("allocator"), Sizes.MIXED);
        Probe<Message> received = Probe.of(Long.MAX_VALUE, parcels.checker());
        ends.far().receive().subscribe(received);

        int count = 3_000;
        Probe<Void> sent = Probe.end();
        ends.near()
                .send(Flux.range(0, count)
                        .map(i -> parcels.message(i, ends.near().allocator())))
                .subscribe(sent);

        sent.awaitComplete();
        assertThat(received.awaitComplete().received()).isEqualTo(count);
    }

    /** Who keeps a message keeps its content, however much comes after it. */
    @Test
    default void whatIsKeptStaysAsItWas(Nodes nodes) {
        Pair.Ends ends = nodes.pair(spec -> spec.windowBytes(LONGEST)).open("kept");
        Parcels parcels = new Parcels(Seed.of("kept"), Sizes.MIXED);
        List<Message> kept = new ArrayList<>();
        Probe<Message> received = Probe.of(Long.MAX_VALUE, kept::add);
        ends.far().receive().subscribe(received);

        Probe<Void> sent = Probe.end();
        ends.near().send(parcels.flux(2_000)).subscribe(sent);

        sent.awaitComplete();
        received.awaitComplete();
        for (int i = 0; i < kept.size(); i++) {
            parcels.check(i, kept.get(i));
        }
        assertThat(kept).hasSize(2_000);
    }
}
