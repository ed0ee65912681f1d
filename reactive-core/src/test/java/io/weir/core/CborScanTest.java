package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Short values that are looked at only once: what is found there is what {@link CheckedParser} would have found. */
class CborScanTest {

    private static final CBORMapper MAPPER = CBORMapper.shared();

    /** What was counted of a value, as far as it could be parsed. */
    private static final class Counted implements ValueMemory {

        long bytes;

        @Override
        public void use(long more) {
            bytes += more;
        }
    }

    private static int weight(byte[] payload) {
        return CborScan.weightOfPlain(payload, 0, payload.length);
    }

    /** Every token, as a deserialiser would have it. */
    private static long counted(byte[] payload) {
        Counted counted = new Counted();
        CheckedParser parser = new CheckedParser(MAPPER.createParser(payload), payload.length, counted);
        try {
            while (parser.nextToken() != null) {
                // Only counted.
            }
        } catch (StreamConstraintsException e) {
            throw new AssertionError(HexFormat.of().formatHex(payload) + " is refused: " + e.getMessage(), e);
        } catch (JacksonException e) {
            // It is malformed, which Jackson finds.
        }
        parser.count();
        return counted.bytes;
    }

    private static Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 4 ? 7 : 9)) {
            case 0 -> random.nextInt(100);
            case 1 -> random.nextLong();
            case 2 -> random.nextDouble();
            case 3 -> random.nextBoolean();
            case 4 -> "x".repeat(random.nextInt(30));
            case 5 -> new byte[random.nextInt(30)];
            case 6 -> (float) random.nextInt();
            case 7 -> {
                List<Object> list = new ArrayList<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    list.add(value(random, depth + 1));
                }
                yield list;
            }
            default -> {
                Map<String, Object> map = new LinkedHashMap<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    map.put("name" + random.nextInt(100), value(random, depth + 1));
                }
                yield map;
            }
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void honestValuesArePlainAndWeighNoLessThanWhatIsCounted(long seed) {
        Random random = new Random(seed);
        int seen = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] payload = MAPPER.writeValueAsBytes(value(random, 0));
            if (payload.length <= CborScan.SHORT) {
                seen++;
                long counted = counted(payload);
                assertThat((long) weight(payload)).isBetween(counted, 4 * counted);
            }
        }
        assertThat(seen).isGreaterThan(1_000);
    }

    /** Nearly each of them is malformed somewhere: what Jackson makes before it finds that is counted as well. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whateverIsTakenForPlainIsWithinAllLimitsAndWeighsNoLessThanWhatIsCounted(long seed) {
        Random random = new Random(seed);
        int plain = 0;
        for (int i = 0; i < 30_000; i++) {
            byte[] payload = new byte[1 + random.nextInt(CborScan.SHORT)];
            random.nextBytes(payload);
            if (i % 2 == 0) {
                // Only heads of what is short, so that much of it is well-formed.
                for (int at = 0; at < payload.length; at++) {
                    payload[at] = (byte) (payload[at] & 0xe3);
                }
            } else if (i % 3 == 0) {
                byte[] honest = MAPPER.writeValueAsBytes(value(random, 0));
                payload = honest.length > CborScan.SHORT ? payload : honest;
                payload[random.nextInt(payload.length)] = (byte) random.nextInt();
            }
            int weight = weight(payload);
            if (weight >= 0) {
                plain++;
                assertThat(CborScan.objection(payload, 0, payload.length)).isNull();
                assertThat((long) weight)
                        .as(HexFormat.of().formatHex(payload))
                        .isGreaterThanOrEqualTo(counted(payload));
            }
        }
        assertThat(plain).isGreaterThan(1_000);
    }

    @Test
    void nestedAsDeepAsItCanBeIsWithinAllLimits() {
        byte[] lists = new byte[CborScan.SHORT];
        Arrays.fill(lists, (byte) 0x81);
        assertThat((long) weight(lists)).isGreaterThanOrEqualTo(counted(lists));
        byte[] open = new byte[CborScan.SHORT];
        Arrays.fill(open, (byte) 0x9f);
        assertThat((long) weight(open)).isGreaterThanOrEqualTo(counted(open));
    }

    @Test
    void numbersAsNamesWeighAsMuchAsTheTextsThatTheyBecome() {
        byte[] payload = new byte[1 + 2 * 9];
        payload[0] = (byte) 0xa1;
        payload[1] = 0x1b;
        payload[2] = (byte) 0x7f;
        payload[10] = 0x1b;
        assertThat((long) weight(payload)).isGreaterThanOrEqualTo(counted(payload));
    }

    @Test
    void tagsAreNotPlain() {
        assertThat(weight(MAPPER.writeValueAsBytes(new BigDecimal("1.5")))).isNegative();
        assertThat(weight(MAPPER.writeValueAsBytes(BigInteger.ONE.shiftLeft(100))))
                .isNegative();
        // A moment of 2013, as in the specification.
        assertThat(weight(HexFormat.of().parseHex("c11a514b67b0"))).isNegative();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7f6161ff",
                "5f4161ff",
                "18",
                "19ff",
                "1affffff",
                "1b00000000000000",
                "1c",
                "1d",
                "1e",
                "62",
                "6261",
                "7bffffffffffffffff",
                "5b7fffffffffffffff",
                "3c"
            })
    void whatIsCutOrInPiecesIsNotPlain(String hex) {
        assertThat(weight(HexFormat.of().parseHex(hex))).isNegative();
    }

    @Test
    void aShortValueForWhichThereIsNoMemoryIsRefusedBeforeItIsRead() {
        byte[] payload = MAPPER.writeValueAsBytes(List.of("a", "b"));
        assertThatExceptionOfType(Overloaded.class)
                .isThrownBy(() -> Codecs.cbor(Object.class).decode(Unpooled.wrappedBuffer(payload), bytes -> {
                    assertThat(bytes).isEqualTo(weight(payload));
                    throw new Overloaded("no memory");
                }))
                .withMessage("no memory");
    }
}
