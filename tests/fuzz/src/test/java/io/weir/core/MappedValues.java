package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.fuzz.Hostile;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * What must hold of values that Jackson reads, of several types. The first byte of the input says which type, the
 * second how much memory there is when the value is read once more.
 */
final class MappedValues {

    static final int PREFIX = 2;

    /** What a thread takes once, such as the buffers of the parser, and an error with its stack. */
    private static final long FREE = 256 << 10;

    /** What is taken for a byte that was counted, beside what the value keeps. */
    private static final int FACTOR = 8;

    /** Why Weir refuses what Jackson would take: the documentation of Codecs names no other reasons. */
    private static final Pattern LIMITS = Pattern.compile(".*(too many for its length|nested too deeply"
            + "|may have (4096|10000)|exponent of a number|more than 8 tags|tags 25 and 256|it is null"
            + "|malformed or cut off|where \\d+ are left).*");

    enum Colour {
        RED,
        GREEN,
        BLUE
    }

    /** Something of each kind that Jackson reads in a way of its own. */
    record Order(
            @Nullable String name,
            int amount,
            long number,
            double price,
            float weight,
            boolean paid,
            char letter,
            @Nullable BigDecimal total,
            @Nullable BigInteger serial,
            @Nullable Colour colour,
            byte @Nullable [] picture,
            int @Nullable [] numbers,
            @Nullable Instant since,
            @Nullable Duration lasts,
            Optional<String> note,
            @Nullable List<Order> parts,
            @Nullable Map<Integer, Order> byNumber) {}

    /** Places in the list of types, for the first byte of a seed. */
    static final int OBJECT = 0;

    static final int ORDER = 1;
    static final int TREE = 2;
    static final int NUMBERS = 3;
    static final int DECIMAL = 4;

    private static final List<Type> TYPES =
            List.of(Object.class, Order.class, JsonNode.class, long[].class, BigInteger.class);

    private static final JsonMapper TEXTS = new JsonMapper();

    private final ObjectMapper plain;
    private final List<JavaType> types;
    private final List<Codec<Object>> codecs;

    /** @param plain what reads the same format without looking first */
    MappedValues(ObjectMapper plain, Function<Type, Codec<Object>> codecs) {
        this.plain = plain;
        this.types = TYPES.stream().map(plain::constructType).toList();
        this.codecs = TYPES.stream().map(codecs).toList();
    }

    static Order order() {
        Order part = new Order(
                "part",
                1,
                2,
                0.5,
                0.25f,
                false,
                'a',
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                Optional.empty(),
                List.of(),
                Map.of());
        return new Order(
                "chest \u20ac",
                -1,
                1L << 40,
                1.5,
                2.5f,
                true,
                '\u20ac',
                new BigDecimal("1234567890123456789.5"),
                BigInteger.ONE.shiftLeft(90),
                Colour.GREEN,
                new byte[] {1, 2, 3},
                new int[] {4, 5},
                Instant.ofEpochSecond(1_700_000_000, 5),
                Duration.ofMillis(1500),
                Optional.of("note"),
                List.of(part, part),
                Map.of(-7, part));
    }

    /** The input for this payload, where there is much memory. */
    static byte[] seed(int type, byte[] payload) {
        byte[] input = new byte[PREFIX + payload.length];
        input[0] = (byte) type;
        input[1] = (byte) 0xc0;
        System.arraycopy(payload, 0, input, PREFIX, payload.length);
        return input;
    }

    /** Takes this input apart and does all that is to be done with it. */
    void check(byte[] input) throws Exception {
        if (input.length < PREFIX) {
            return;
        }
        int type = (input[0] & 0xff) % TYPES.size();
        byte[] payload = Arrays.copyOfRange(input, PREFIX, input.length);
        Codec<Object> codec = codecs.get(type);
        Counted counted = new Counted(Long.MAX_VALUE);
        Object value = read(codec, Unpooled.wrappedBuffer(payload), counted);
        wherever(codec, input, value);
        Object unused = Hostile.within(
                FREE + FACTOR * (counted.bytes + payload.length),
                () -> read(codec, Unpooled.wrappedBuffer(payload), ValueMemory.UNLIMITED));
        withLittle(codec, payload, counted.bytes * (input[1] & 0xff) / 256);
        compare(payload, types.get(type), value);
        if (!(value instanceof WeirException)) {
            again(codec, value);
        }
    }

    /** The value, or why there is none. */
    private static Object read(Codec<Object> codec, ByteBuf payload, ValueMemory memory) {
        int length = payload.readableBytes();
        try {
            return codec.decode(payload, memory);
        } catch (ProtocolMismatch | Overloaded e) {
            Hostile.checkText(e);
            return e;
        } finally {
            Hostile.check(payload.refCnt() == 1 && payload.readableBytes() == length, "the buffer was consumed");
        }
    }

    /** In an array with something before and behind it, and in memory that is no array. */
    private static void wherever(Codec<Object> codec, byte[] input, Object value) {
        byte[] within = Arrays.copyOf(input, input.length + 3);
        Arrays.fill(within, input.length, within.length, (byte) 0x30);
        ByteBuf slice = Unpooled.wrappedBuffer(within, PREFIX, input.length - PREFIX);
        Hostile.check(
                same(value, read(codec, slice, ValueMemory.UNLIMITED)),
                "within an array: " + value + ", and not " + read(codec, slice, ValueMemory.UNLIMITED));
        ByteBuf other =
                Unpooled.wrappedBuffer(input, PREFIX, input.length - PREFIX).asReadOnly();
        Hostile.check(same(value, read(codec, other, ValueMemory.UNLIMITED)), "in no array: " + value);
    }

    private static void withLittle(Codec<Object> codec, byte[] payload, long most) {
        Counted little = new Counted(most);
        Object value = read(codec, Unpooled.wrappedBuffer(payload), little);
        Hostile.check(!little.refused || value instanceof Overloaded, "there was no memory, and yet: " + value);
        Hostile.check(little.refused || !(value instanceof Overloaded), "there was memory, and yet: " + value);
    }

    /** Without a look before, the value is the same, or it is refused for a reason that is written down. */
    private void compare(byte[] payload, JavaType type, Object value) {
        Object expected;
        try {
            expected = plain.readValue(payload, type);
        } catch (JacksonException | NumberFormatException e) {
            // It may be none of its own errors.
            Hostile.check(value instanceof ProtocolMismatch, "Jackson refuses it, " + e + ", and it was: " + value);
            return;
        }
        if (value instanceof ProtocolMismatch refused) {
            Hostile.check(
                    expected == null
                            || LIMITS.matcher(String.valueOf(refused.getMessage()))
                                    .matches(),
                    refused + " though it is: " + expected);
        } else {
            Hostile.check(expected != null && same(value, expected), value + " is in truth: " + expected);
        }
    }

    /** What was read is written, and reads alike. */
    private static void again(Codec<Object> codec, Object value) {
        byte[] written = written(codec, value);
        if (written == null) {
            return;
        }
        Object read = read(codec, Unpooled.wrappedBuffer(written), ValueMemory.UNLIMITED);
        if (read instanceof ProtocolMismatch refused) {
            Hostile.check(LIMITS.matcher(String.valueOf(refused.getMessage())).matches(), refused + ": " + value);
        } else {
            Hostile.check(same(value, read), value + " was written, and read as: " + read);
        }
    }

    /** Null if it can't be written: text with half a surrogate pair. */
    private static byte @Nullable [] written(Codec<Object> codec, Object value) {
        UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false, true);
        try {
            ByteBuf payload = codec.encode(value, memory);
            byte[] bytes = ByteBufUtil.getBytes(payload);
            payload.release();
            return bytes;
        } catch (IllegalArgumentException e) {
            Hostile.checkText(e);
            return null;
        } finally {
            Hostile.check(memory.metric().usedHeapMemory() == 0, "a buffer was lost");
        }
    }

    private static boolean same(Object one, Object other) {
        if (one instanceof WeirException error) {
            return other instanceof WeirException its && reason(error).equals(reason(its));
        }
        return !(other instanceof WeirException)
                && (one.equals(other) || text(one).equals(text(other)));
    }

    /** Without numbers: Jackson counts from the beginning of the array, where a value lies within one. */
    private static String reason(WeirException error) {
        return error.getClass() + String.valueOf(error.getMessage()).replaceAll("[0-9]+", "#");
    }

    /** In JSON, as lists, arrays and numbers of several classes may stand for the same. */
    private static String text(Object value) {
        return TEXTS.writeValueAsString(value);
    }

    /** Memory for so many bytes. */
    static final class Counted implements ValueMemory {

        private final long most;
        private boolean refused;
        long bytes;

        Counted(long most) {
            this.most = most;
        }

        @Override
        public void use(long more) {
            Hostile.check(!refused, "it goes on without memory");
            if (bytes + more > most) {
                refused = true;
                throw new Overloaded("no memory");
            }
            bytes += more;
        }
    }
}
