package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.ForeignText;
import io.weir.core.Misconfigured;
import io.weir.core.ValueMemory;
import java.io.OutputStream;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Values by Jackson. Loaded only once it is known that Jackson is there. */
final class JacksonCallCodec implements CallCodec {

    /** Characters of Jackson's explanation that are passed on: it may quote what a peer sent. */
    private static final int EXPLANATION = 300;

    private final String name;
    private final ObjectMapper mapper;

    JacksonCallCodec(String name, ObjectMapper mapper) {
        this.name = name;
        this.mapper = mapper;
    }

    static CallCodec cbor() {
        return new JacksonCallCodec("cbor", Cbor.mapper());
    }

    /**
     * On its own: to check a method that passes this mapper on, the JVM loads it, and who writes JSON may not have it.
     */
    private static final class Cbor {

        /** Each thread has its buffers: a pool that all threads share is felt in each call. */
        private static final ObjectMapper MAPPER = new CBORMapper(CBORFactory.builder()
                .recyclerPool(JsonRecyclerPools.threadLocalPool())
                .build());

        static ObjectMapper mapper() {
            return MAPPER;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Values values(Type type) {
        try {
            return new Mapped(mapper, type);
        } catch (JacksonException | IllegalArgumentException e) {
            throw new Misconfigured("Jackson can't map " + type.getTypeName() + ": " + e.getMessage(), e);
        }
    }

    private static String explain(JacksonException e) {
        String path = e.getPath().isEmpty() ? "" : " at " + e.getPathReference();
        String text = e.getOriginalMessage() + path;
        return ForeignText.harmless(text.length() <= EXPLANATION ? text : text.substring(0, EXPLANATION) + "...");
    }

    /**
     * What other code threw on Jackson's behalf. Jackson's own exceptions are not kept: they hold its parser, and that
     * the payload.
     */
    private static @Nullable Throwable foreignCause(JacksonException e) {
        return e.getCause() instanceof JacksonException ? null : e.getCause();
    }

    private static final class Mapped implements Values {

        private final Codec<Object> reader;
        private final ObjectWriter writer;

        Mapped(ObjectMapper mapper, Type type) {
            // Also the limits to what a peer may send are the same as those of messages.
            this.reader = Codecs.json(
                    new TypeReference<>() {
                        @Override
                        public Type getType() {
                            return type;
                        }
                    },
                    mapper);
            this.writer = mapper.writerFor(mapper.constructType(type));
        }

        @Override
        public void write(Object value, ByteBuf target) {
            try {
                writer.writeValue((OutputStream) new ByteBufOutputStream(target), value);
            } catch (JacksonException e) {
                throw new IllegalArgumentException(explain(e), foreignCause(e));
            }
        }

        @Override
        public Object read(ByteBuf source) {
            return reader.decode(source);
        }

        @Override
        public Object read(ByteBuf source, ValueMemory memory) {
            return reader.decode(source, memory);
        }
    }
}
