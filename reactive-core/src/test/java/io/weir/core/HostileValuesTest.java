package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORMapper;
import tools.jackson.dataformat.cbor.CBORWriteFeature;

/**
 * Payloads that would take far more time or memory than their length. What is refused here took from seconds to hours,
 * or gigabytes.
 */
class HostileValuesTest {

    private static final TypeReference<List<BigInteger>> INTEGERS = new TypeReference<>() {};
    private static final TypeReference<Map<String, Object>> NAMED = new TypeReference<>() {};

    record Order(String item, List<Order> parts) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "@type")
    @JsonSubTypes(@JsonSubTypes.Type(value = Shell.class, name = "s"))
    interface Layer {}

    record Shell(Layer inner, List<Integer> data) implements Layer {}

    /** CBOR by hand. */
    private static final class Bytes extends ByteArrayOutputStream {

        Bytes add(int... bytes) {
            for (int each : bytes) {
                write(each);
            }
            return this;
        }

        Bytes times(int count, int... bytes) {
            for (int i = 0; i < count; i++) {
                var unused = add(bytes);
            }
            return this;
        }

        Bytes text(String text) {
            byte[] bytes = text.getBytes(UTF_8);
            var unused = add(0x79, bytes.length >> 8, bytes.length);
            writeBytes(bytes);
            return this;
        }
    }

    private static Bytes cbor() {
        return new Bytes();
    }

    private static byte[] json(String open, int count, String each, String close) {
        return (open + each.repeat(count) + close).getBytes(UTF_8);
    }

    private static <T> T read(Codec<T> codec, byte[] payload) {
        ByteBuf buffer = Unpooled.directBuffer(payload.length).writeBytes(payload);
        try {
            return codec.decode(buffer);
        } finally {
            buffer.release();
        }
    }

    private static void refuses(Codec<?> codec, byte[] payload, String reason) {
        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> read(codec, payload))
                .withMessageStartingWith("a payload of " + payload.length + " bytes is not ")
                .withMessageContaining(reason);
    }

    static Stream<byte[]> manyTags() {
        int many = 20_000;
        return Stream.of(
                cbor().times(many, 0xc6).add(1).toByteArray(),
                cbor().times(many, 0xd9, 0xd9, 0xf7).add(0x80).toByteArray(),
                cbor().add(0x9f).times(many, 0xc6).add(1, 0xff).toByteArray(),
                cbor().add(0xa1).times(many, 0xc6).text("item").text("x").toByteArray(),
                cbor().add(0xa1).text("unknown").times(many, 0xc6).add(1).toByteArray(),
                cbor().add(0xa1).text("item").text("x").times(many, 0xc6).toByteArray(),
                cbor().add(0xc4, 0x82).times(many, 0xc6).add(1, 1).toByteArray());
    }

    @ParameterizedTest
    @MethodSource("manyTags")
    void manyTagsAreRefused(byte[] payload) {
        refuses(Codecs.cbor(Object.class), payload, "a value has more than 8 tags");
        refuses(Codecs.cbor(Order.class), payload, "a value has more than 8 tags");
        refuses(Codecs.json(Object.class, new CBORMapper()), payload, "a value has more than 8 tags");
    }

    /** A few bytes each time that cost as much as the string behind them. */
    @Test
    void referencesToStringsAreRefused() {
        byte[] names = cbor().add(0xd9, 1, 0, 0x82)
                .text("x".repeat(50_000))
                .add(0xbf)
                .times(20_000, 0xd8, 25, 0, 1)
                .add(0xff)
                .toByteArray();
        refuses(Codecs.cbor(Object.class), names, "refers to strings by number");
        for (int[] tag :
                new int[][] {{0xd8, 25}, {0xd9, 0, 25}, {0xda, 0, 0, 0, 25}, {0xdb, 0, 0, 0, 0, 0, 0, 0, 25}}) {
            byte[] once = cbor().add(0x82).add(tag).add(0, 1).toByteArray();
            refuses(Codecs.cbor(Object.class), once, "refers to strings by number");
        }
        CBORMapper referring = CBORMapper.builder(
                        CBORFactory.builder().enable(CBORWriteFeature.STRINGREF).build())
                .build();
        refuses(Codecs.json(Object.class, referring), referring.writeValueAsBytes("text"), "write them out");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1e501", "1E+9999", "1e-501", "-1.5e99999", "1e0000000501", "1e-2147483647", "1e999999999999"})
    void exponentsThatBecomeDigitsAreRefused(String number) {
        byte[] payload = json("[1", 100, "," + number, "]");
        refuses(Codecs.json(INTEGERS), payload, "exponent");
        refuses(Codecs.json(Object.class), payload, "exponent");
        JsonMapper lenient = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNumberLength(Integer.MAX_VALUE)
                                .build())
                        .build())
                .build();
        refuses(Codecs.json(INTEGERS, lenient), payload, "exponent");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x00, 0x20})
    void exponentsInCborAsWell(int sign) {
        byte[] payload = cbor().add(0x9f)
                .times(100, 0xc4, 0x82, sign | 0x1a, 0, 1, 0x86, 0x9f, 1)
                .add(0xff)
                .toByteArray();
        refuses(Codecs.cbor(INTEGERS), payload, "exponent");
        refuses(Codecs.cbor(JsonNode.class), payload, "exponent");
    }

    /** A class may make numbers of texts, as times do, in quadratic time. */
    @Test
    void longTextsOfDigitsAreRefused() {
        String digits = "7".repeat(10_001);
        for (String text : List.of(digits, " -" + digits + ".5 ", digits + "e5")) {
            byte[] inJson = json("[\"", 1, text, "\"]");
            byte[] inCbor = cbor().add(0x81).text(text).toByteArray();
            refuses(
                    Codecs.json(new TypeReference<List<Instant>>() {}),
                    inJson,
                    "a text that reads as a number has 100");
            refuses(
                    Codecs.cbor(new TypeReference<List<Instant>>() {}),
                    inCbor,
                    "a text that reads as a number has 100");
            refuses(Codecs.json(JsonNode.class), inJson, "a text that reads as a number has 100");
        }
    }

    @Test
    void otherLongTextsAreRead() {
        TypeReference<List<String>> texts = new TypeReference<>() {};
        for (String text : List.of("7".repeat(10_000), "7".repeat(20_000) + "x", "x".repeat(20_000))) {
            assertThat(read(Codecs.json(texts), json("[\"", 1, text, "\"]"))).isEqualTo(List.of(text));
        }
    }

    /** Jackson keeps names for good, and makes numbers of them in quadratic time. */
    @Test
    void longNamesAreRefused() {
        String name = "1".repeat(4097);
        byte[] inJson = json("{\"", 1, name, "\":1}");
        byte[] inCbor = cbor().add(0xa1).text(name).add(1).toByteArray();
        refuses(Codecs.json(NAMED), inJson, "a name has 4097 characters");
        refuses(Codecs.cbor(NAMED), inCbor, "a name has 4097 characters");
        refuses(
                Codecs.json(Order.class),
                json("{\"unknown\":[", 1, new String(inJson, UTF_8), "]}"),
                "a name has 4097");
        refuses(Codecs.cbor(Order.class), inCbor, "a name has 4097 characters");
        refuses(Codecs.json(new TypeReference<Map<BigInteger, Object>>() {}), inJson, "a name has 4097 characters");
    }

    /** Names of payloads that were read are known next time, and those of refused ones are not. */
    @Test
    void namesOfWhatIsRefusedAreNotKept() {
        Kept factory = new Kept();
        Codec<Map<String, Object>> codec = Codecs.json(NAMED, new CBORMapper(factory));
        assertThat(read(codec, cbor().add(0xa1).text("first name").add(1).toByteArray()))
                .isEqualTo(Map.of("first name", 1));
        assertThat(factory.names()).isEqualTo(1);
        refuses(
                codec,
                cbor().add(0xa2)
                        .text("second name")
                        .add(1)
                        .text("n".repeat(4097))
                        .add(1)
                        .toByteArray(),
                "a name has 4097 characters");
        assertThat(factory.names()).isEqualTo(1);
    }

    private static final class Kept extends CBORFactory {

        private static final long serialVersionUID = 1L;

        int names() {
            return _byteSymbolCanonicalizer.size();
        }
    }

    /** What is of one byte becomes an object of a hundred. */
    @Test
    void nothingButListsAndObjectsIsRefused() {
        int many = 200_000;
        for (int empty : new int[] {0x80, 0xa0}) {
            byte[] payload = cbor().add(0x9f).times(many, empty).add(0xff).toByteArray();
            refuses(Codecs.cbor(Object.class), payload, "lists and objects are too many");
            refuses(Codecs.cbor(new TypeReference<List<Object>>() {}), payload, "lists and objects are too many");
        }
        refuses(Codecs.json(Object.class), json("[1", 400_000, ",{}", "]"), "lists and objects are too many");
        refuses(Codecs.json(JsonNode.class), json("[1", 400_000, ",[]", "]"), "lists and objects are too many");
    }

    /** So many bytes, and no more. */
    private static final class Limited implements ValueMemory {

        private long left;

        Limited(long bytes) {
            this.left = bytes;
        }

        @Override
        public void use(long bytes) {
            if (bytes > left) {
                throw new Overloaded("no memory for " + bytes + " bytes");
            }
            left -= bytes;
        }
    }

    record Pair(int a, List<Pair> more) {}

    /** They take up to 46 times their length. */
    @Test
    void smallObjectsCountWithWhatTheyTake() {
        int many = 200_000;
        byte[] inJson = json("[{\"a\":0}", many - 1, ",{\"a\":0}", "]");
        byte[] inCbor =
                cbor().add(0x9f).times(many, 0xa1, 0x61, 'a', 0).add(0xff).toByteArray();
        for (TypeReference<?> type :
                List.of(new TypeReference<List<Object>>() {}, new TypeReference<List<Pair>>() {})) {
            for (Codec<?> codec : List.of(Codecs.json(type), Codecs.cbor(type))) {
                byte[] payload = codec.toString().endsWith("JSON") ? inJson : inCbor;
                assertThat(codec.decode(Unpooled.wrappedBuffer(payload), new Limited(many * 300L)))
                        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                        .hasSize(many);
                assertThatExceptionOfType(Overloaded.class)
                        .isThrownBy(() -> codec.decode(Unpooled.wrappedBuffer(payload), new Limited(many * 180L)))
                        .withMessageStartingWith("no memory");
            }
        }
    }

    /** While it is read, it is there as bytes, as characters, in pieces and as one piece. */
    @Test
    void aLongTextCountsSeveralTimes() {
        int length = 1 << 20;
        byte[] longText = json("\"", length, "x", "\"");
        Codec<Object> codec = Codecs.json(Object.class);
        assertThat(codec.decode(Unpooled.wrappedBuffer(longText), new Limited(6L * length)))
                .isEqualTo("x".repeat(length));
        assertThatExceptionOfType(Overloaded.class)
                .isThrownBy(() -> codec.decode(Unpooled.wrappedBuffer(longText), new Limited(4L * length)))
                .withMessageStartingWith("no memory");

        int few = 60_000;
        byte[] shortText = json("\"", few, "x", "\"");
        assertThat(codec.decode(Unpooled.wrappedBuffer(shortText), new Limited(2L * few)))
                .isEqualTo("x".repeat(few));
    }

    @Test
    void namesThatDifferCountEachTime() {
        StringBuilder names = new StringBuilder("{\"0\":0");
        for (int i = 1; i < 10_000; i++) {
            names.append(",\"").append(i).append("\":0");
        }
        byte[] payload = names.append('}').toString().getBytes(UTF_8);
        assertThatExceptionOfType(Overloaded.class)
                .isThrownBy(() -> Codecs.json(NAMED).decode(Unpooled.wrappedBuffer(payload), new Limited(1_000_000)));
        assertThat(Codecs.json(NAMED).decode(Unpooled.wrappedBuffer(payload), new Limited(2_000_000)))
                .hasSize(10_000);
    }

    @Test
    void textAndBytesCountWithTheirLength() {
        ByteBuf text = Unpooled.wrappedBuffer("x".repeat(1000).getBytes(UTF_8));
        for (Codec<?> codec : List.of(Codecs.text(), Codecs.bytes())) {
            assertThat(codec.decode(text, new Limited(1000))).isNotNull();
            assertThatExceptionOfType(Overloaded.class).isThrownBy(() -> codec.decode(text, new Limited(999)));
        }
    }

    /** Whoever says its type behind its values is read once more on each level. */
    @Test
    void muchThatIsNestedDeeplyIsRefused() {
        int levels = 100;
        String data = "{\"data\":[1" + ",1".repeat(100_000) + "],\"@type\":\"s\"}";
        byte[] payload = ("{\"inner\":".repeat(levels) + data + ",\"@type\":\"s\"}".repeat(levels)).getBytes(UTF_8);
        refuses(Codecs.json(Layer.class), payload, "nested too deeply for its length");
        refuses(Codecs.json(Object.class), payload, "nested too deeply for its length");
    }

    @Test
    void whatIsHonestIsRead() {
        Codec<Object> cbor = Codecs.cbor(Object.class);
        Order order = new Order("core", List.of());
        for (int i = 0; i < 100; i++) {
            order = new Order("shell", List.of(order));
        }
        assertComesBack(Codecs.json(Order.class), order);
        assertComesBack(Codecs.cbor(Order.class), order);
        Layer layer = new Shell(null, IntStream.range(0, 100_000).boxed().toList());
        for (int i = 0; i < 5; i++) {
            layer = new Shell(layer, List.of(i));
        }
        assertComesBack(Codecs.json(Layer.class), layer);
        assertComesBack(Codecs.cbor(Layer.class), layer);
        List<List<Integer>> pairs = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            pairs.add(List.of(i % 10, 1));
        }
        assertComesBack(Codecs.json(new TypeReference<List<List<Integer>>>() {}), pairs);
        assertComesBack(Codecs.cbor(new TypeReference<List<List<Integer>>>() {}), pairs);
        assertComesBack(
                Codecs.json(new TypeReference<List<Double>>() {}),
                List.of(Double.MAX_VALUE, Double.MIN_VALUE, 0.1, -1e-300));
        BigDecimal precise = new BigDecimal("0." + "0123456789".repeat(99));
        assertComesBack(
                Codecs.cbor(new TypeReference<List<BigDecimal>>() {}), List.of(precise, new BigDecimal("1E+500")));
        assertComesBack(
                Codecs.json(new TypeReference<List<BigDecimal>>() {}), List.of(precise, new BigDecimal("1E+500")));
        assertComesBack(Codecs.cbor(INTEGERS), List.of(BigInteger.TEN.pow(900), BigInteger.ONE.negate()));
        assertComesBack(Codecs.cbor(Instant.class), Instant.ofEpochSecond(1_700_000_000, 5));
        assertComesBack(Codecs.cbor(NAMED), Map.of("n".repeat(4096), "v".repeat(1_000_000)));
        assertComesBack(Codecs.json(NAMED), Map.of("n".repeat(4096), "v".repeat(1_000_000)));
        assertThat(read(cbor, cbor().add(0xd9, 0xd9, 0xf7, 0xc6, 0x01).toByteArray()))
                .isEqualTo(1);
        assertThat(read(cbor, cbor().times(8, 0xc6).add(1).toByteArray())).isEqualTo(1);
        assertThat(read(cbor, cbor().add(0x9f).times(50_000, 0xc6, 1).add(0xff).toByteArray()))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .hasSize(50_000);
        assertThat(read(Codecs.json(Order.class), json("{\"x\":[", 500, "{\"y\":[0]},", "1],\"item\":\"it\"}"))
                        .item())
                .isEqualTo("it");
    }

    private static <T> void assertComesBack(Codec<T> codec, T value) {
        ByteBuf payload = codec.encode(value, io.netty.buffer.UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(codec.decode(payload)).isEqualTo(value);
        } finally {
            payload.release();
        }
    }
}
