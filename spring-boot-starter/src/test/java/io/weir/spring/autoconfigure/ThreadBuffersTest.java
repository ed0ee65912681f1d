package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.spring.WeirCodecs;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORMapper;
import tools.jackson.dataformat.cbor.CBORWriteFeature;

/** Mappers of the application whose buffers belong to threads are otherwise what they were. */
class ThreadBuffersTest {

    private record Reading(int sensorNumber, Celsius value) {}

    private record Celsius(int degrees) {
        @Override
        public String toString() {
            return degrees + " °C";
        }
    }

    private static final Environment ENVIRONMENT = new StandardEnvironment();

    private static final Reading READING = new Reading(7, new Celsius(21));

    @Test
    void aMapperOfJsonKeepsItsSettings() {
        JsonMapper mapper = JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(17)
                                .build())
                        .build())
                .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
                .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .addModule(celsiusAsText())
                .build();
        JsonMapper made = ThreadBuffers.of(mapper, ENVIRONMENT);
        expectThreadBuffers(made);
        assertThat(made.writeValueAsString(READING))
                .isEqualTo(mapper.writeValueAsString(READING))
                .contains("sensor_number", "21 \\u00B0C");
        assertThat(made.tokenStreamFactory().streamReadConstraints().getMaxNestingDepth())
                .isEqualTo(17);
        assertThat(made.isEnabled(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES))
                .isFalse();
    }

    @Test
    void aMapperOfCborKeepsItsSettings() {
        CBORMapper mapper = CBORMapper.builder()
                .enable(CBORWriteFeature.WRITE_TYPE_HEADER)
                .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
                .addModule(celsiusAsText())
                .build();
        CBORMapper made = ThreadBuffers.of(mapper, ENVIRONMENT);
        expectThreadBuffers(made);
        byte[] written = made.writeValueAsBytes(READING);
        assertThat(written).isEqualTo(mapper.writeValueAsBytes(READING));
        assertThat(made.readValue(written, Object.class)).isEqualTo(Map.of("SensorNumber", 7, "Value", "21 °C"));
    }

    @Test
    void theGivenMapperIsNotChanged() {
        CBORMapper mapper = CBORMapper.builder().build();
        var unused = ThreadBuffers.of(mapper, ENVIRONMENT);
        assertThat(mapper.tokenStreamFactory()._getRecyclerPool())
                .isInstanceOf(JsonRecyclerPools.ConcurrentDequePool.class);
    }

    @Test
    void aPoolThatSomebodyHasChosenStays() {
        CBORMapper cbor = new CBORMapper(CBORFactory.builder()
                .recyclerPool(JsonRecyclerPools.nonRecyclingPool())
                .build());
        JsonMapper json = new JsonMapper(JsonFactory.builder()
                .recyclerPool(JsonRecyclerPools.newBoundedPool(3))
                .build());
        assertThat(ThreadBuffers.of(cbor, ENVIRONMENT)).isSameAs(cbor);
        assertThat(ThreadBuffers.of(json, ENVIRONMENT)).isSameAs(json);
    }

    @Test
    void aMapperOfAnotherClassStays() {
        JsonMapper json = new JsonMapper() {};
        CBORMapper cbor = new CBORMapper() {};
        assertThat(ThreadBuffers.of(json, ENVIRONMENT)).isSameAs(json);
        assertThat(ThreadBuffers.of(cbor, ENVIRONMENT)).isSameAs(cbor);
    }

    @Test
    void anApplicationsCodecsHaveThem() {
        application()
                .withPropertyValues("spring.jackson.property-naming-strategy=KEBAB_CASE")
                .run(context -> {
                    WeirCodecs codecs = context.getBean(WeirCodecs.class);
                    expectThreadBuffers(codecs.cborMapper());
                    expectThreadBuffers(codecs.jsonMapper());
                    assertThat(codecs.jsonMapper().writeValueAsString(READING))
                            .isEqualTo(context.getBean(JsonMapper.class).writeValueAsString(READING))
                            .contains("sensor-number");
                });
    }

    @Test
    void withoutCborThoseOfJsonHaveThem() {
        application()
                .withClassLoader(new FilteredClassLoader(CBORMapper.class))
                .run(context ->
                        expectThreadBuffers(context.getBean(WeirCodecs.class).jsonMapper()));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void whereThreadsAreVirtualTheApplicationsOwnMappersAreUsed() {
        application().withPropertyValues("spring.threads.virtual.enabled=true").run(context -> {
            WeirCodecs codecs = context.getBean(WeirCodecs.class);
            assertThat(codecs.cborMapper()).isSameAs(context.getBean(CBORMapper.class));
            assertThat(codecs.jsonMapper()).isSameAs(context.getBean(JsonMapper.class));
        });
    }

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(JacksonAutoConfiguration.class, WeirCodecAutoConfiguration.class));
    }

    private static SimpleModule celsiusAsText() {
        return new SimpleModule().addSerializer(Celsius.class, ToStringSerializer.instance);
    }

    private static void expectThreadBuffers(ObjectMapper mapper) {
        assertThat(mapper.tokenStreamFactory()._getRecyclerPool())
                .isInstanceOf(JsonRecyclerPools.ThreadLocalPool.class);
    }
}
