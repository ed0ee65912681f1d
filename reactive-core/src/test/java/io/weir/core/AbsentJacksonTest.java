package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AbsentJacksonTest {

    private static final String OK = "there and back: ok";
    private static final String NO_JSON =
            "a JSON codec needs Jackson 3: add tools.jackson.core:jackson-databind to the class path";
    private static final String NO_JACKSON_FOR_CBOR =
            "a CBOR codec needs Jackson 3: add tools.jackson.core:jackson-databind to the class path";
    private static final String NO_CBOR =
            "a CBOR codec needs Jackson 3: add tools.jackson.dataformat:jackson-dataformat-cbor to the class path";

    @ParameterizedTest
    @CsvSource({
        "tools.jackson., text, " + OK,
        "tools.jackson., bytes, " + OK,
        "tools.jackson., json, " + NO_JSON,
        "tools.jackson., cbor, " + NO_JACKSON_FOR_CBOR,
        "tools.jackson.dataformat., json, " + OK,
        "tools.jackson.dataformat., cbor, " + NO_CBOR,
        "nothing.is.absent., json, " + OK,
        "nothing.is.absent., cbor, " + OK,
    })
    void whatIsAbsentIsNamedAndTheRestWorks(String absent, String codec, String outcome) throws Exception {
        Class<?> user = new WithoutJackson(absent).loadClass(CodecUser.class.getName());
        assertThat(user).isNotSameAs(CodecUser.class);

        @SuppressWarnings("unchecked")
        Function<String, String> program =
                (Function<String, String>) user.getConstructor().newInstance();
        assertThat(program.apply(codec)).isEqualTo(outcome);
    }
}
