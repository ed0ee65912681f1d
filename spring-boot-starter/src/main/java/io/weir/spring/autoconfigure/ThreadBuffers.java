package io.weir.spring.autoconfigure;

import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORMapper;

/**
 * Makes mappers like others, of which each thread has its own buffers: to take them from the pool that all threads
 * share, Jackson's default, is a tenth of a call. A mapper stays as it is if its class is not Jackson's own, if it has
 * a pool of another kind, which somebody has chosen, or if the application's threads are virtual: each would have
 * buffers of its own, and throw them away.
 */
final class ThreadBuffers {

    private ThreadBuffers() {}

    static JsonMapper of(JsonMapper mapper, Environment environment) {
        return isWanted(mapper, JsonMapper.class, JsonFactory.class, environment) ? new Json(mapper).build() : mapper;
    }

    static CBORMapper of(CBORMapper mapper, Environment environment) {
        return isWanted(mapper, CBORMapper.class, CBORFactory.class, environment) ? new Cbor(mapper).build() : mapper;
    }

    /** @param mapper an object, as this class must be verified without CBOR on the class path too */
    private static boolean isWanted(Object mapper, Class<?> type, Class<?> factoryType, Environment environment) {
        TokenStreamFactory factory = ((ObjectMapper) mapper).tokenStreamFactory();
        return mapper.getClass() == type
                && factory.getClass() == factoryType
                && factory._getRecyclerPool() instanceof JsonRecyclerPools.ConcurrentDequePool
                && !Threading.VIRTUAL.isActive(environment);
    }

    private static TokenStreamFactory withThreadBuffers(TokenStreamFactory factory) {
        return factory.rebuild()
                .recyclerPool(JsonRecyclerPools.threadLocalPool())
                .build();
    }

    private static final class Json extends JsonMapper.Builder {

        Json(JsonMapper like) {
            super((JsonMapper.Builder.StateImpl) like.rebuild().saveStateApplyModules());
            _streamFactory = withThreadBuffers(_streamFactory);
        }
    }

    private static final class Cbor extends CBORMapper.Builder {

        Cbor(CBORMapper like) {
            super((CBORMapper.Builder.StateImpl) like.rebuild().saveStateApplyModules());
            _streamFactory = withThreadBuffers(_streamFactory);
        }
    }
}
