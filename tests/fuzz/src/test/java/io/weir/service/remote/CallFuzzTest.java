package io.weir.service.remote;

import static io.weir.fuzz.Hostile.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.channel.Peer;
import io.weir.channel.SomePeer;
import io.weir.core.ForeignText;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.Refused;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import io.weir.fuzz.Hostile;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import tools.jackson.databind.json.JsonMapper;

/**
 * The request of a peer that calls, and the answer of one that is called: each is read as arguments or as an outcome
 * that are of the declared types, or refused; what was read is written so that it reads alike.
 */
class CallFuzzTest {

    /** The first byte: whether it is an answer, and to which method. */
    private static final int PREFIX = 1;

    private static final int ANSWER = 0x80;

    private static final long FREE = 512 << 10;
    private static final int FACTOR = 8;

    private static final Contract FOREST = contract();
    private static final Peer PEER = SomePeer.make();
    private static final JsonMapper TEXTS = new JsonMapper();

    private static Contract contract() {
        // References are needed by interfaces that pass some; this one does not.
        @SuppressWarnings("NullAway")
        Terms terms = new Terms(CallCodecs.cbor(), null, null, false, ProxyOptions.standard(), null);
        return terms.contract(Woods.Forest.class);
    }

    private static ContractMethod method(String name) {
        return FOREST.methods().stream()
                .filter(each -> each.name().equals("Forest." + name))
                .findFirst()
                .orElseThrow();
    }

    private static byte[] request(String name, @Nullable Object... arguments) {
        ContractMethod method = method(name);
        ByteBuf target = Unpooled.buffer().writeByte(0);
        CallLayout.writeHeader(target, CallLayout.CALL, method.number(), 5000, 0);
        method.writeArguments(arguments, target, PEER);
        return ByteBufUtil.getBytes(target);
    }

    private static ByteBuf answer(String name, int outcome) {
        return Unpooled.buffer().writeByte(ANSWER | method(name).number()).writeByte(outcome);
    }

    static Stream<byte[]> seeds() {
        Woods.Leaf leaf = new Woods.Leaf("leaf", Woods.Colour.BLUE);
        Woods.Tree small = new Woods.Tree("small", List.of(), Map.of());
        Woods.Tree tree = new Woods.Tree("tall", List.of(small, small), Map.of("top", new Woods.Leaf[] {leaf}));
        ByteBuf value = answer("tree", CallLayout.VALUE);
        Place place = method("tree").value();
        check(place != null, "it yields a tree");
        if (place != null) {
            place.write(tree, value, PEER);
        }
        ByteBuf thrown = answer("tree", CallLayout.THROWN);
        Thrown.write(new Woods.Rotten("it is rotten"), true, thrown);
        ByteBuf common = answer("fell", CallLayout.THROWN);
        Thrown.write(new IllegalStateException((String) null), false, common);
        ByteBuf unknown = answer("fell", CallLayout.THROWN);
        Thrown.write(new AssertionError("\u001b[2J".repeat(300)), true, unknown);
        ByteBuf busy = answer("rows", CallLayout.BUSY);
        CallLayout.writeText(busy, "too much was running");
        ByteBuf late = answer("rows", CallLayout.LATE);
        CallLayout.writeText(late, "it is over");
        ByteBuf refused = answer("rows", CallLayout.REFUSED);
        CallLayout.writeText(refused, null);
        ByteBuf full = answer("rows", CallLayout.FULL);
        CallLayout.writeText(full, "");
        return Stream.concat(
                Stream.of(
                        request("tree", 7, "oak", tree),
                        request("tree", 7, null, null),
                        request("plant", Flux.empty(), Map.of("a", Woods.Colour.RED), true),
                        request("picture", new byte[] {1, 2}, Unpooled.wrappedBuffer(new byte[3]), new long[] {1, -1}),
                        request("fell", 1.5),
                        request("rows"),
                        request("any")),
                Stream.of(value, thrown, common, unknown, busy, late, refused, full)
                        .map(ByteBufUtil::getBytes));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void callsAndAnswersAreReadOrRefused(byte[] input) throws Exception {
        if (input.length < PREFIX) {
            return;
        }
        byte[] message = Arrays.copyOfRange(input, PREFIX, input.length);
        if ((input[0] & ANSWER) == 0) {
            request(message);
        } else {
            answer(FOREST.methods().get((input[0] & 0x7f) % FOREST.methods().size()), message);
        }
    }

    private static void request(byte[] message) throws Exception {
        ByteBuf source = Unpooled.wrappedBuffer(message);
        CallLayout.Header header;
        try {
            header = CallLayout.readHeader(source);
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            return;
        }
        ByteBuf again = Unpooled.buffer();
        CallLayout.writeHeader(again, header.kind(), header.method(), header.millisLeft(), header.object());
        check(again.equals(Unpooled.wrappedBuffer(message, 0, CallLayout.HEADER)), header);
        ContractMethod method = FOREST.method(header.method());
        if (method != null) {
            arguments(method, Arrays.copyOfRange(message, CallLayout.HEADER, message.length));
        }
    }

    private static void arguments(ContractMethod method, byte[] body) throws Exception {
        long[] counted = new long[1];
        @Nullable Object[] arguments = read(method, body, counted);
        long most = FREE + FACTOR * (counted[0] + body.length);
        Object unused = Hostile.within(most, () -> read(method, body, new long[1]));
        if (arguments.length == 1 && arguments[0] instanceof WeirException) {
            return;
        }
        ByteBuf written = Unpooled.buffer();
        method.writeArguments(arguments, written, PEER);
        @Nullable Object[] again = read(method, ByteBufUtil.getBytes(written), new long[1]);
        check(text(again).equals(text(arguments)), method + ": " + text(arguments) + " was read as " + text(again));
    }

    /** The arguments; or why there are none, alone. */
    private static @Nullable Object[] read(ContractMethod method, byte[] body, long[] counted) {
        ByteBuf source = Unpooled.wrappedBuffer(body);
        try {
            return method.readArguments(source, PEER, method.takesStream() ? Flux.empty() : null, bytes -> {
                check(bytes >= 0, bytes);
                counted[0] += bytes;
            });
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            return new @Nullable Object[] {e};
        } finally {
            check(source.refCnt() == 1, "the buffer was released");
        }
    }

    private static String text(@Nullable Object[] values) {
        StringBuilder text = new StringBuilder();
        for (Object each : values) {
            if (each instanceof ByteBuf bytes) {
                text.append(ByteBufUtil.hexDump(bytes));
            } else {
                text.append(each instanceof Flux ? "stream" : TEXTS.writeValueAsString(each));
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static void answer(ContractMethod method, byte[] message) {
        Thrown thrown = new Thrown(method.exceptions(), List.of());
        ByteBuf source = Unpooled.wrappedBuffer(message);
        try {
            Object value =
                    Replies.read(method, method.value(), thrown, source, PEER, bytes -> check(bytes >= 0, bytes));
            check(value != null && method.value() != null, "it yields nothing");
        } catch (ProtocolMismatch | Overloaded | TimedOut | Refused | RemoteInvocationException e) {
            text(e);
        } catch (Throwable e) {
            // Made here of what the other side has thrown, and of nothing else.
            if (!(e.getCause() instanceof RemoteInvocationException cause)) {
                throw new AssertionError("no reading may end so", e);
            }
            check(cause.remoteType().equals(e.getClass().getName()), e);
            text(e);
        }
    }

    private static void text(Throwable error) {
        String text = String.valueOf(error.getMessage());
        check(text.equals(ForeignText.harmless(text)), text);
    }
}
