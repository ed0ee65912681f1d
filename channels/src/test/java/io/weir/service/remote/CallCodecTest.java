package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ValueMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CallCodecTest {

    record Order(String item, List<Order> parts) implements Serializable {}

    /** What an attacker finds on the class path: to read it is to run it. */
    static final class Gadget implements Serializable {

        private static final long serialVersionUID = 1L;

        private static boolean sprung;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            sprung = true;
        }
    }

    private static final CallCodec SERIALIZED = CallCodecs.serialized(
            ObjectInputFilter.Config.createFilter(Order.class.getName() + ";java.util.ArrayList;java.util.CollSer"
                    + ";java.util.ImmutableCollections$*;java.lang.Number;java.lang.Integer;java.lang.Object"));

    private static Object across(CallCodec codec, Class<?> type, Object value) {
        ByteBuf wire = Unpooled.buffer();
        codec.values(type).write(value, wire);
        return codec.values(type).read(wire);
    }

    @Test
    void valuesCross() {
        Order order = new Order("chest", new ArrayList<>(List.of(new Order("drawer", List.of()))));
        for (CallCodec codec : List.of(CallCodecs.cbor(), SERIALIZED)) {
            assertThat(across(codec, Order.class, order)).isEqualTo(order);
            assertThat(across(codec, int.class, 42)).isEqualTo(42);
        }
    }

    @Test
    void directMemoryIsReadAsWell() {
        ByteBuf wire = Unpooled.directBuffer();
        CallCodec.Values orders = CallCodecs.cbor().values(Order.class);
        orders.write(new Order("chest", List.of()), wire);

        assertThat(orders.read(wire)).isEqualTo(new Order("chest", List.of()));
        wire.release();
    }

    @Test
    void aClassThatIsNotAllowedIsNotMade() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Gadget());
        }

        assertThatThrownBy(() -> SERIALIZED.values(Order.class).read(Unpooled.wrappedBuffer(bytes.toByteArray())))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("REJECTED");
        assertThat(Gadget.sprung).isFalse();
    }

    @Test
    void whatIsNestedTooDeeplyIsRefused() {
        Order deep = new Order("core", List.of());
        for (int i = 0; i < 100; i++) {
            deep = new Order("shell", new ArrayList<>(List.of(deep)));
        }
        ByteBuf wire = Unpooled.buffer();
        SERIALIZED.values(Order.class).write(deep, wire);

        assertThatThrownBy(() -> SERIALIZED.values(Order.class).read(wire)).isInstanceOf(ProtocolMismatch.class);
    }

    private static final CallCodec OBJECTS = CallCodecs.serialized(
            ObjectInputFilter.Config.createFilter("java.lang.*;java.util.*;" + Order.class.getName()));

    private static byte[] serialized(Object value) {
        ByteBuf wire = Unpooled.buffer();
        OBJECTS.values(Object.class).write(value, wire);
        return ByteBufUtil.getBytes(wire);
    }

    /** The stream of this value with another length everywhere in place of this one. */
    private static ByteBuf longer(Object value, int before) {
        ByteBuf wire = Unpooled.wrappedBuffer(serialized(value));
        for (int at = 0; at + Integer.BYTES <= wire.readableBytes(); at++) {
            if (wire.getInt(at) == before) {
                wire.setInt(at, 1_000_000);
            }
        }
        return wire;
    }

    static Stream<Object> whatHasALength() {
        Object nested = "core";
        for (int level = 0; level < 10; level++) {
            nested = new Object[] {nested, 1, 2, 3, 4, 5, 6};
        }
        List<Integer> seven = List.of(1, 2, 3, 4, 5, 6, 77);
        return Stream.of(
                nested,
                new long[7],
                new boolean[7],
                seven,
                new ArrayList<>(seven),
                new HashSet<>(seven),
                new ArrayDeque<>(seven),
                new PriorityQueue<>(seven),
                new HashMap<>(Map.of(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 77, 77)));
    }

    /** Before the elements are read, which are not there. */
    @ParameterizedTest
    @MethodSource("whatHasALength")
    void lengthsThatTheStreamDoesNotFillAreRefused(Object value) {
        assertThatThrownBy(() -> OBJECTS.values(Object.class).read(longer(value, 7)))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("REJECTED");
    }

    static Stream<Object> whatIsHonest() {
        Map<Integer, Integer> map = new HashMap<>();
        Map<String, Map<String, Integer>> maps = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            map.put(i, -i);
            maps.computeIfAbsent("key " + i % 1000, any -> new HashMap<>()).put("k" + i, i % 100);
        }
        return Stream.of(
                map,
                maps,
                new HashSet<>(map.keySet()),
                new LinkedHashSet<>(map.keySet()),
                new ArrayList<>(map.values()),
                List.copyOf(map.values()),
                new TreeMap<>(map),
                new ArrayList<>(Collections.nCopies(5000, new HashMap<>())),
                Stream.generate(() -> new ArrayList<>(new HashSet<>(Set.of("only one"))))
                        .limit(2000)
                        .collect(Collectors.toCollection(ArrayList::new)));
    }

    @ParameterizedTest
    @MethodSource("whatIsHonest")
    void collectionsComeBack(Object value) {
        assertThat(across(OBJECTS, Object.class, value)).isEqualTo(value);
    }

    @Test
    void arraysComeBack() {
        assertThat((Object[]) across(OBJECTS, Object.class, new Object[200_000]))
                .hasSize(200_000)
                .containsOnlyNulls();
        assertThat((byte[]) across(OBJECTS, Object.class, new byte[3_000_000])).hasSize(3_000_000);
        assertThat((double[]) across(OBJECTS, Object.class, new double[300_000]))
                .hasSize(300_000);
    }

    @Test
    void whatIsMadeIsCounted() {
        byte[] nulls = serialized(new Object[200_000]);
        AtomicLong used = new AtomicLong();
        var unused = OBJECTS.values(Object.class).read(Unpooled.wrappedBuffer(nulls), used::addAndGet);
        assertThat(used).hasValueGreaterThanOrEqualTo(8 * 200_000L);
        ValueMemory little = bytes -> {
            if (bytes > 1_000_000) {
                throw new Overloaded("no memory");
            }
        };
        assertThatThrownBy(() -> OBJECTS.values(Object.class).read(Unpooled.wrappedBuffer(nulls), little))
                .isInstanceOf(Overloaded.class);
    }

    static Stream<Object> whatIsThereAgainAndAgain() {
        Object sets = "core";
        Order orders = new Order("core", List.of());
        for (int level = 0; level < 5; level++) {
            Object within = sets;
            sets = IntStream.range(0, 8)
                    .mapToObj(each -> new ArrayList<>(List.of(within, each)))
                    .collect(Collectors.toCollection(HashSet::new));
            orders = new Order("level", new ArrayList<>(Collections.nCopies(8, orders)));
        }
        return Stream.of(sets, new ArrayList<>(List.of(sets)), new HashSet<>(Set.of(orders)), Map.of("key", orders));
    }

    @ParameterizedTest
    @MethodSource("whatIsThereAgainAndAgain")
    void aHashCodeThatTakesTimeByTheNumberOfWaysIsNeverComputed(Object dear) {
        ByteBuf wire = Unpooled.wrappedBuffer(serialized(dear));
        assertThat(wire.readableBytes()).isLessThan(4096);

        assertThatThrownBy(() -> OBJECTS.values(Object.class).read(wire))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("hash code");
    }

    @Test
    void whatIsSharedByAllMayBeLarge() {
        List<Integer> shared = IntStream.range(0, 1000).boxed().collect(Collectors.toCollection(ArrayList::new));
        Map<String, Object> all = new HashMap<>();
        for (int each = 0; each < 10; each++) {
            all.put("" + each, new ArrayList<>(List.of(shared, each)));
        }
        assertThat(across(OBJECTS, Object.class, all)).isEqualTo(all);
    }

    @Test
    void whatContainsItselfCanNotBeWritten() {
        Map<String, Object> self = new HashMap<>();
        self.put("self", self);

        assertThatThrownBy(() -> CallCodecs.cbor().values(Map.class).write(self, Unpooled.buffer()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("depth");
    }

    @Test
    void noiseIsNoValue() {
        byte[] noise = {(byte) 0x9f, 1, 2, (byte) 0xff, 7};
        for (CallCodec codec : List.of(CallCodecs.cbor(), SERIALIZED)) {
            assertThatThrownBy(() -> codec.values(Order.class).read(Unpooled.wrappedBuffer(noise)))
                    .isInstanceOf(ProtocolMismatch.class);
            assertThatThrownBy(() -> codec.values(Order.class).read(Unpooled.EMPTY_BUFFER))
                    .isInstanceOf(ProtocolMismatch.class);
        }
    }
}
