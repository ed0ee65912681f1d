package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

class CodecsTest {

    record Price(String symbol, BigDecimal amount, List<Integer> depth) {

        Price {
            if (symbol != null && symbol.isEmpty()) {
                throw new IllegalStateException("no symbol");
            }
        }
    }

    /** Encodes a good deal before it fails. */
    record Broken(String good) {
        public String getWorse() {
            if (!good.isEmpty()) {
                throw new IllegalStateException("worse");
            }
            return good;
        }
    }

    private static final Price PRICE = new Price("Äpfel", new BigDecimal("12.50"), List.of(1, 2, 3));

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);

    @AfterEach
    void nothingIsLeft() {
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    static Stream<Codec<Price>> codecsOfPrices() {
        TypeReference<Price> type = new TypeReference<>() {};
        return Stream.of(
                Codecs.json(Price.class),
                Codecs.json(type),
                Codecs.json(Price.class, new JsonMapper()),
                Codecs.json(type, new JsonMapper()),
                Codecs.cbor(Price.class),
                Codecs.cbor(type));
    }

    @ParameterizedTest
    @MethodSource("codecsOfPrices")
    void pricesComeBackFromEveryKindOfMemory(Codec<Price> codec) {
        assertComesBack(codec, PRICE);
    }

    @Test
    void bytesComeBackFromEveryKindOfMemory() {
        assertComesBack(Codecs.bytes(), new byte[] {0, 1, -1, 127});
        assertComesBack(Codecs.bytes(), new byte[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "plain", "äöü", "€", "😀 and \uFFFD", "\0"})
    void textComesBackFromEveryKindOfMemory(String text) {
        assertComesBack(Codecs.text(), text);
        withEncoded(
                Codecs.text(),
                text,
                payload -> assertThat(ByteBufUtil.getBytes(payload)).isEqualTo(text.getBytes(UTF_8)));
    }

    @Test
    void bytesAreCopiedBothWays() {
        byte[] array = {1, 2};
        withEncoded(Codecs.bytes(), array, payload -> {
            array[0] = 9;
            byte[] decoded = Codecs.bytes().decode(payload);
            assertThat(decoded).containsExactly(1, 2);
            decoded[0] = 9;
            assertThat(payload.getByte(payload.readerIndex())).isEqualTo((byte) 1);
        });
    }

    @ParameterizedTest
    @CsvSource({"ff, 0", "61c3, 1", "6162c328, 2", "c080, 0", "eda080, 0", "f4908080, 0", "efbfbd80, 3"})
    void whatIsNotTextIsRefusedNamingThePlace(String hex, int place) {
        ByteBuf payload = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.text().decode(payload))
                .withMessage("a payload of " + payload.readableBytes() + " bytes is not UTF-8 text: malformed at byte "
                        + place);
        assertThat(payload.refCnt()).isEqualTo(1);
        payload.release();
    }

    @ParameterizedTest
    @CsvSource({"'\uD83D', 0", "'ab\uDE00', 2", "'\uD83D\uDE00\uD83D!', 2", "'\uDE00\uD83D', 0"})
    void textThatUtf8CantSayIsRefused(String text, int place) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.text().encode(text, allocator))
                .withMessage("text of " + text.length() + " characters has half a surrogate pair at " + place
                        + ", which UTF-8 can't say");
    }

    @Test
    void jsonIsWhatOthersWouldWrite() {
        withEncoded(
                Codecs.json(Price.class),
                PRICE,
                payload -> assertThat(payload.toString(UTF_8))
                        .isEqualTo("{\"symbol\":\"Äpfel\",\"amount\":12.50,\"depth\":[1,2,3]}"));
    }

    @Test
    void genericTypesKeepTheirParameters() {
        Map<String, List<Price>> prices = Map.of("today", List.of(PRICE));
        assertComesBack(Codecs.json(new TypeReference<Map<String, List<Price>>>() {}), prices);
        assertComesBack(Codecs.cbor(new TypeReference<Map<String, List<Price>>>() {}), prices);
    }

    @Test
    void aMapperOfTheUserRules() {
        JsonMapper snake = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.UPPER_SNAKE_CASE)
                .build();
        withEncoded(
                Codecs.json(Price.class, snake),
                PRICE,
                payload -> assertThat(payload.toString(UTF_8)).contains("\"SYMBOL\""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|No content to map due to end-of-input",
                "'{\"symbol\":'|Unexpected end-of-input",
                "'{\"symbol\":\"a\"} x'|Unrecognized token 'x'",
                "'{\"symbol\":\"a\"}{}'|Trailing token",
                "'[]'|Cannot deserialize value of type",
                "'null'|it is null",
                "'{\"amount\":\"much\"}'|at io.weir.core.CodecsTest$Price[\"amount\"]",
                "'{\"depth\":[1,{}]}'|at io.weir.core.CodecsTest$Price[\"depth\"]",
                "'GET / HTTP/1.1'|Unrecognized token 'GET'",
            })
    void whatIsNotSuchAValueIsRefusedWithItsReason(String json, String reason) {
        ByteBuf payload = Unpooled.copiedBuffer(json, UTF_8);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.json(Price.class).decode(payload))
                .withMessageStartingWith("a payload of " + payload.readableBytes()
                        + " bytes is not io.weir.core.CodecsTest$Price in JSON: ")
                .withMessageContaining(reason)
                .withNoCause();
        assertThat(payload.refCnt()).isEqualTo(1);
        payload.release();
    }

    @Test
    void whatAValueItselfRefusesIsTheCause() {
        ByteBuf payload = Unpooled.copiedBuffer("{\"symbol\":\"\"}", UTF_8);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.json(Price.class).decode(payload))
                .withMessageContaining("no symbol")
                .withCauseInstanceOf(IllegalStateException.class);
        payload.release();
    }

    @Test
    void anErrorQuotesOnlyALittleOfWhatAPeerSent() {
        ByteBuf payload = Unpooled.copiedBuffer("{\"amount\":\"" + "x\\n".repeat(100_000) + "\"}", UTF_8);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.json(Price.class).decode(payload))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(450).doesNotContain("\n"));
        payload.release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{\"a\":"})
    void endlessNestingIsRefused(String open) {
        ByteBuf payload = Unpooled.copiedBuffer(open.repeat(1_000_000), UTF_8);

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.json(Object.class).decode(payload))
                .withMessageContaining("nesting depth");
        payload.release();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5a7fffffff00",
                "7a7fffffff61",
                "5b7fffffffffffffff00",
                "9bffffffffffffffff",
                "bb7fffffffffffffff",
                "c2"
            })
    void cborThatClaimsMoreThanThereIsIsRefused(String hex) {
        ByteBuf payload = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));

        assertThatExceptionOfType(ProtocolMismatch.class)
                .isThrownBy(() -> Codecs.cbor(Object.class).decode(payload))
                .withMessageContaining("is not java.lang.Object in CBOR");
        payload.release();
    }

    @Test
    void hostileBytesAreRefused() {
        Codec<Price> json = Codecs.json(Price.class);
        Codec<Price> cbor = Codecs.cbor(Price.class);
        withEncoded(json, PRICE, good -> fuzz(json, ByteBufUtil.getBytes(good)));
        withEncoded(cbor, PRICE, good -> fuzz(cbor, ByteBufUtil.getBytes(good)));
        fuzz(Codecs.text(), "äöü€😀 and plain text".getBytes(UTF_8));
    }

    private static void fuzz(Codec<?> codec, byte[] good) {
        int refused = 0;
        for (long seed = 1; seed <= 3000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = good.clone();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            ByteBuf payload = Unpooled.wrappedBuffer(bytes, 0, bytes.length - random.nextInt(3));
            try {
                assertThat((Object) codec.decode(payload)).isNotNull();
            } catch (ProtocolMismatch expected) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError(codec + ", seed " + seed, e);
            }
            assertThat(payload.refCnt()).isEqualTo(1);
            payload.release();
        }
        assertThat(refused).as("refused by %s", codec).isGreaterThan(500);
    }

    @Test
    void whatCantBeWrittenLeavesNothingAllocated() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.json(Broken.class).encode(new Broken("x".repeat(100_000)), allocator))
                .withMessageStartingWith("a io.weir.core.CodecsTest$Broken can't be written as"
                        + " io.weir.core.CodecsTest$Broken in JSON: worse")
                .withCauseInstanceOf(IllegalStateException.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.cbor(Broken.class).encode(new Broken("x"), allocator));
        Object[] cycle = new Object[1];
        cycle[0] = cycle;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Codecs.json(Object[].class).encode(cycle, allocator))
                .withMessageContaining("nesting depth");
        assertThatNullPointerException()
                .isThrownBy(() -> Codecs.json(Price.class).encode(null, allocator));
    }

    private <T> void assertComesBack(Codec<T> codec, T value) {
        withEncoded(codec, value, payload -> {
            assertThat(payload.readerIndex()).isZero();
            assertDecodes(codec, payload.retainedDuplicate(), value);
            byte[] bytes = ByteBufUtil.getBytes(payload);
            ByteBuf amid = Unpooled.buffer().writeZero(3).writeBytes(bytes).writeZero(3);
            assertDecodes(codec, amid.retainedSlice(3, bytes.length), value);
            amid.readerIndex(3).writerIndex(3 + bytes.length);
            assertDecodes(codec, amid, value);
            assertDecodes(
                    codec,
                    Unpooled.directBuffer(100).writeZero(3).writeBytes(bytes).skipBytes(3),
                    value);
            int half = bytes.length / 2;
            ByteBuf parts = Unpooled.compositeBuffer()
                    .addComponent(true, Unpooled.copiedBuffer(bytes, 0, half))
                    .addComponent(true, Unpooled.copiedBuffer(bytes, half, bytes.length - half));
            assertDecodes(codec, parts, value);
        });
    }

    private static <T> void assertDecodes(Codec<T> codec, ByteBuf payload, T value) {
        int from = payload.readerIndex();
        int bytes = payload.readableBytes();
        assertThat(codec.decode(payload)).isEqualTo(value);
        assertThat(payload.readerIndex()).as("not consumed").isEqualTo(from);
        assertThat(payload.readableBytes()).isEqualTo(bytes);
        payload.release();
    }

    private <T> void withEncoded(Codec<T> codec, T value, Consumer<ByteBuf> use) {
        ByteBuf payload = codec.encode(value, allocator);
        assertThat(payload.refCnt()).isEqualTo(1);
        assertThat(payload.alloc()).as("memory of the given allocator").isSameAs(allocator);
        try {
            use.accept(payload);
        } finally {
            payload.release();
        }
    }
}
