package io.weir.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * A value in JSON is the one that Jackson reads without {@link CheckedParser}, or is refused for a reason that is
 * written down, and takes memory in proportion to what was counted.
 */
class JsonValuesFuzzTest {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final MappedValues VALUES = new MappedValues(MAPPER, JacksonCodec::json);

    static Stream<byte[]> seeds() {
        String map = "{\"text\":\"gr\u00fcn \\u20ac \\n\",\"numbers\":[0,-1,1.5,1e10,12345678901234567890],"
                + "\"switch\":[true,false,null],\"none\":{}}";
        return Stream.of(
                seed(MappedValues.OBJECT, map),
                seed(MappedValues.TREE, map),
                seed(MappedValues.ORDER, MAPPER.writeValueAsString(MappedValues.order())),
                seed(
                        MappedValues.ORDER,
                        "{\"name\":5,\"amount\":\"7\",\"since\":\"2020-01-01T00:00:00Z\",\"lasts\":\"PT5S\","
                                + "\"total\":\"12.5\",\"colour\":2,\"letter\":65,\"unknown\":[{}]}"),
                seed(MappedValues.ORDER, "{\"since\":1700000000.000000005,\"lasts\":1.5,\"serial\":1e3}"),
                seed(MappedValues.NUMBERS, "[1, 2, \"3\", 4.0]"),
                seed(MappedValues.DECIMAL, "1e400"),
                seed(MappedValues.DECIMAL, "1e501"),
                seed(MappedValues.DECIMAL, "\"" + "7".repeat(300) + '"'),
                seed(MappedValues.TREE, "[".repeat(600)),
                seed(MappedValues.OBJECT, "[" + "[],".repeat(300) + "{}]"),
                seed(MappedValues.OBJECT, "{\"" + "n".repeat(4097) + "\":1}"),
                seed(MappedValues.OBJECT, "\"\\ud800\""),
                seed(MappedValues.OBJECT, "null"),
                seed(MappedValues.OBJECT, "1 2"));
    }

    private static byte[] seed(int type, String payload) {
        return MappedValues.seed(type, payload.getBytes(UTF_8));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void valuesAreThoseOfTheParserOrRefused(byte[] input) throws Exception {
        VALUES.check(input);
    }
}
