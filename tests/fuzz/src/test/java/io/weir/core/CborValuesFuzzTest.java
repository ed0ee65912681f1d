package io.weir.core;

import static io.weir.core.MappedValues.seed;
import static io.weir.fuzz.Hostile.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.dataformat.cbor.CBORMapper;

/**
 * A value in CBOR is the one that Jackson reads without {@link CborScan} and {@link CheckedParser}, or is refused for a
 * reason that is written down; it takes memory in proportion to what was counted; and a short value weighs no less than
 * what the parser would have counted.
 */
class CborValuesFuzzTest {

    private static final CBORMapper MAPPER = new CBORMapper();
    private static final MappedValues VALUES = new MappedValues(MAPPER, JacksonCodec::cbor);

    static Stream<byte[]> seeds() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "gr\u00fcn");
        map.put("bytes", new byte[] {1, 2, 3});
        map.put("numbers", List.of(0, -1, 300, -70_000, 1L << 40, 1.5, 2.5f, BigInteger.ONE.shiftLeft(70)));
        map.put("decimal", new BigDecimal("-123456789012345678901234567890.5"));
        map.put("switch", List.of(true, false, Map.of("none", List.of())));
        Stream<byte[]> honest = Stream.of(
                seed(MappedValues.OBJECT, MAPPER.writeValueAsBytes(map)),
                seed(MappedValues.OBJECT, MAPPER.writeValueAsBytes("long ".repeat(100))),
                seed(MappedValues.TREE, MAPPER.writeValueAsBytes(map)),
                seed(MappedValues.ORDER, MAPPER.writeValueAsBytes(MappedValues.order())),
                seed(
                        MappedValues.NUMBERS,
                        MAPPER.writeValueAsBytes(IntStream.range(0, 300).toArray())),
                seed(MappedValues.DECIMAL, MAPPER.writeValueAsBytes(BigInteger.TEN.pow(40))),
                seed(MappedValues.DECIMAL, MAPPER.writeValueAsBytes(new BigDecimal("1e300"))),
                seed(MappedValues.OBJECT, MAPPER.writeValueAsBytes(new BigDecimal("1e600"))));
        // In pieces, without a length, with numbers, bytes and nothing as names, with tags, with what is never written.
        Stream<byte[]> odd = Stream.of(
                        "7f6161626262ff",
                        "5f4161ff",
                        "9f0102ff",
                        "bf616101ff",
                        "a11b7fffffffffffffff01",
                        "a1207f6161ff",
                        "a1416101",
                        "a1f601",
                        "d9d9f701",
                        "c11a514b67b0",
                        "c249010000000000000000",
                        "c48221196ab3",
                        "c0c0c0c0c0c0c0c001",
                        "c0c0c0c0c0c0c0c0c001",
                        "d90100826161d81900",
                        "f97e00",
                        "f7",
                        "e0",
                        "f820",
                        "fa7fc00000",
                        "fb7ff0000000000000",
                        "1bffffffffffffffff",
                        "3bffffffffffffffff",
                        "7bffffffffffffffff",
                        "0101",
                        "63eda080",
                        "")
                .map(hex -> seed(MappedValues.OBJECT, HexFormat.of().parseHex(hex)));
        // Of what no number is: neither a decimal nor a whole one can be made.
        Stream<byte[]> noNumber =
                Stream.of(seed(MappedValues.DECIMAL, HexFormat.of().parseHex("f97e00")));
        return Stream.of(
                        honest,
                        odd,
                        noNumber,
                        Stream.of(repeated(0x81), repeated(0x9f), repeated(0xc1), repeated(0xa0)))
                .flatMap(each -> each);
    }

    private static byte[] repeated(int head) {
        byte[] payload = new byte[900];
        Arrays.fill(payload, (byte) head);
        return seed(MappedValues.TREE, payload);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void valuesAreThoseOfTheParserOrRefused(byte[] input) throws Exception {
        weigh(Arrays.copyOfRange(input, Math.min(MappedValues.PREFIX, input.length), input.length));
        VALUES.check(input);
    }

    private static void weigh(byte[] payload) {
        if (payload.length > CborScan.SHORT) {
            return;
        }
        int weight = CborScan.weightOfPlain(payload, 0, payload.length);
        if (weight >= 0) {
            check(CborScan.objection(payload, 0, payload.length) == null, "plain, and yet there is an objection");
            long counted = counted(payload);
            check(weight >= counted, weight + " is less than " + counted);
        }
    }

    /** Every token, as somebody has it who makes values of them. */
    private static long counted(byte[] payload) {
        MappedValues.Counted counted = new MappedValues.Counted(Long.MAX_VALUE);
        CheckedParser parser = new CheckedParser(MAPPER.createParser(payload), payload.length, counted);
        try {
            while (parser.nextToken() != null) {
                // Only counted.
            }
        } catch (StreamConstraintsException e) {
            // Jackson's own limits hold without a look as well.
            check(!String.valueOf(e.getMessage()).contains("for its length"), e);
        } catch (JacksonException e) {
            // It is malformed.
        }
        parser.count();
        return counted.bytes;
    }
}
