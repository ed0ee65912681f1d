package io.weir.spring.autoconfigure;

import io.weir.core.Misconfigured;
import io.weir.service.remote.CallCodec;
import io.weir.service.remote.CallCodecs;
import io.weir.spring.WeirCodecs;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Codecs over mappers with the settings of Boot's, so that what {@code spring.jackson} says holds for messages too. */
@AutoConfiguration(
        before = WeirAutoConfiguration.class,
        afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnBooleanProperty(name = "weir.enabled", matchIfMissing = true)
@WithProperties
public final class WeirCodecAutoConfiguration {

    private static final String CBOR = "tools.jackson.dataformat.cbor.CBORMapper";

    WeirCodecAutoConfiguration() {}

    /** By the same names as without Spring: the two sides compare them. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    CallCodec weirCallCodec(WeirProperties properties, WeirCodecs codecs) {
        return switch (properties.codec()) {
            case CBOR -> CallCodecs.jackson("cbor", codecs.cborMapper());
            case JSON -> CallCodecs.jackson("json", codecs.jsonMapper());
        };
    }

    /** The codec of calls, which the user may have taken away. */
    static CallCodec required(ObjectProvider<CallCodec> codec) {
        return codec.getIfAvailable(() -> {
            throw new Misconfigured("remote interfaces have no codec: Jackson is not on the class path; add"
                    + " tools.jackson.core:jackson-databind and tools.jackson.dataformat:jackson-dataformat-cbor,"
                    + " or define a bean of the type " + CallCodec.class.getName());
        });
    }

    /** Both formats. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(CBORMapper.class)
    static final class WithCbor {

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        WeirCodecs weirCodecs(
                ObjectProvider<JsonMapper> json, ObjectProvider<CBORMapper> cbor, Environment environment) {
            return new WeirCodecs(
                    ThreadBuffers.of(json.getIfAvailable(JsonMapper::shared), environment),
                    ThreadBuffers.of(cbor.getIfAvailable(CBORMapper::shared), environment));
        }
    }

    /** JSON alone. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(CBOR)
    static final class WithoutCbor {

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        WeirCodecs weirCodecs(ObjectProvider<JsonMapper> json, Environment environment) {
            return new WeirCodecs(ThreadBuffers.of(json.getIfAvailable(JsonMapper::shared), environment), null);
        }
    }
}
