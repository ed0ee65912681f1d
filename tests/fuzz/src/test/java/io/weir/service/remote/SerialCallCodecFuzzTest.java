package io.weir.service.remote;

import static io.weir.fuzz.Hostile.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.fuzz.Hostile;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Streams of Java's serialisation: only classes that are allowed are made, hash codes are computed about as often as
 * there are objects, the memory is in proportion to what was counted, and whatever goes wrong is a mismatch.
 *
 * <p>The first byte is 0 where a whole stream follows. Else it is a graph of lists, sets, maps and arrays, one byte for
 * each step, which is written first, so that the stream is well-formed.
 */
class SerialCallCodecFuzzTest {

    private static final int STREAM = 0;

    /** What {@link HashWork} documents: free, and for each object. */
    private static final long FREE_HASHES = 1 << 14;

    private static final long FAIR_HASHES = 32;

    /** For the hash code of one part of a graph: beyond, the test itself would take too long to make it. */
    private static final long MOST_STEPS = 1 << 10;

    private static final long FREE = 1 << 20;
    private static final int FACTOR = 16;

    private static long hashes;

    /** Tells how often its hash code is asked for. */
    static final class Leaf implements Serializable {

        private static final long serialVersionUID = 1L;

        private final int number;

        Leaf(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Leaf that && that.number == number;
        }

        @Override
        public int hashCode() {
            hashes++;
            return number;
        }
    }

    /** Not allowed. */
    static final class Gadget implements Serializable {

        private static final long serialVersionUID = 1L;

        private Object readResolve() {
            throw new AssertionError("it was made");
        }
    }

    private static final CallCodec.Values VALUES = CallCodecs.serialized(ObjectInputFilter.Config.createFilter(
                    Leaf.class.getName() + ";java.util.ArrayList;java.util.HashSet;java.util.HashMap;java.lang.Integer"
                            + ";java.lang.Number;java.lang.Object;java.util.Map$Entry"))
            .values(Object.class);

    static Stream<byte[]> seeds() {
        List<Object> list = new ArrayList<>(List.of(1, "two", new Leaf(3), new int[] {4, 5}, new Object[] {"six"}));
        Map<Object, Object> map = new HashMap<>(Map.of(new Leaf(1), list, "key", new HashSet<>(Set.of(new Leaf(2)))));
        byte[] gadget = stream(new ArrayList<>(List.of(new Gadget())));
        byte[] longer = stream(new int[7]);
        longer[longer.length - 7 * Integer.BYTES - 4] = 0x7f;
        return Stream.of(
                stream(list),
                stream(map),
                stream("text".repeat(100)),
                gadget,
                longer,
                new byte[] {STREAM, (byte) 0xac, (byte) 0xed, 0, 5},
                // Null.
                new byte[] {STREAM, (byte) 0xac, (byte) 0xed, 0, 5, 0x70},
                new byte[] {1, 0x00, 0x01, 0x22, 0x43, 0x64, (byte) 0x85},
                // Sets of the same sets.
                new byte[] {1, 0x00, 0x01, 0x42, (byte) 0xa0, 0x42, (byte) 0xa0, (byte) 0xa0, 0x43, (byte) 0xa0, 0x42},
                new byte[] {1, 0x00, (byte) 0xa0, (byte) 0xa0, 0x24, (byte) 0xa0, 0x01, 0x62, (byte) 0xa0, 0x42, 0x44});
    }

    private static byte[] stream(Object value) {
        ByteBuf target = Unpooled.buffer().writeByte(STREAM);
        VALUES.write(value, target);
        return ByteBufUtil.getBytes(target);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void onlyWhatIsAllowedIsMade(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        byte[] program = Arrays.copyOfRange(input, 1, input.length);
        byte[] stream = program;
        if (input[0] != STREAM) {
            byte[] whole = stream(graph(program));
            stream = Arrays.copyOfRange(whole, 1, whole.length);
        }
        byte[] bytes = stream;
        long[] counted = new long[1];
        hashes = 0;
        boolean read = read(bytes, counted);
        check(
                hashes <= FREE_HASHES + FAIR_HASHES * 2 * bytes.length,
                hashes + " hash codes for " + bytes.length + " bytes");
        boolean again = Hostile.within(FREE + FACTOR * (counted[0] + bytes.length), () -> read(bytes, new long[1]));
        check(read == again, "once it is read, and once it is not");
    }

    private static boolean read(byte[] stream, long[] counted) {
        try {
            Object value = VALUES.read(Unpooled.wrappedBuffer(stream), bytes -> {
                check(bytes >= 0, bytes);
                counted[0] += bytes;
            });
            // Null is no value: where there is none, the call says so.
            check(value != null, "a null was read");
            return true;
        } catch (ProtocolMismatch | Overloaded e) {
            return false;
        }
    }

    /**
     * Three bits of a byte say what is put on a stack, the others how many are taken from it for that, or which one it
     * is.
     */
    private static Object graph(byte[] program) {
        Deque<Object> stack = new ArrayDeque<>();
        IdentityHashMap<Object, Long> costs = new IdentityHashMap<>();
        for (byte each : program) {
            int number = each & 0x1f;
            switch ((each & 0xff) >> 5) {
                case 0 -> stack.push(new Leaf(number));
                case 1, 2, 3 -> {
                    List<Object> parts = taken(stack, number);
                    long cost = 1;
                    for (Object part : parts) {
                        cost += costs.getOrDefault(part, 1L);
                        // The value of each key.
                        cost += costs.getOrDefault(parts.get(0), 1L);
                    }
                    if (cost > MOST_STEPS) {
                        return parts;
                    }
                    Object made = made((each & 0xff) >> 5, parts);
                    costs.put(made, cost);
                    stack.push(made);
                }
                case 4 -> stack.push(taken(stack, number).toArray());
                case 5 -> {
                    if (!stack.isEmpty()) {
                        stack.push(stack.peek());
                    }
                }
                case 6 -> stack.push(new int[number]);
                default -> stack.push("text " + number);
            }
        }
        return taken(stack, stack.size());
    }

    private static Object made(int kind, List<Object> parts) {
        if (kind == 1) {
            return parts;
        }
        if (kind == 2) {
            return new HashSet<>(parts);
        }
        Map<Object, Object> map = new HashMap<>();
        parts.forEach(key -> map.put(key, parts.get(0)));
        return map;
    }

    private static List<Object> taken(Deque<Object> stack, int number) {
        List<Object> taken = new ArrayList<>();
        for (int i = 0; i < number && !stack.isEmpty(); i++) {
            taken.add(stack.pop());
        }
        return taken;
    }
}
