package io.weir.core;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;
import java.io.OutputStream;
import java.lang.reflect.Type;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORMapper;

/** Values by Jackson. Loaded only once it is known that Jackson is there; {@link Codecs} must work without. */
final class JacksonCodec<T> implements Codec<T> {

    /** Characters of Jackson's explanation that are passed on: it may quote what a peer sent. */
    private static final int EXPLANATION = 300;

    private final String format;
    private final String type;
    private final boolean cbor;
    private final ObjectReader reader;
    private final ObjectWriter writer;

    private JacksonCodec(ObjectMapper mapper, JavaType type) {
        // A mapper of the user's may be of any format.
        this.format = mapper.tokenStreamFactory().getFormatName();
        this.type = type.toCanonical();
        this.cbor = format.equals("CBOR");
        this.reader = mapper.readerFor(type);
        this.writer = mapper.writerFor(type);
    }

    static <T> Codec<T> json(Type type) {
        return of(JsonMapper.shared(), type);
    }

    static <T> Codec<T> cbor(Type type) {
        return of(Cbor.mapper(), type);
    }

    static <T> Codec<T> of(ObjectMapper mapper, Type type) {
        return new JacksonCodec<>(mapper, mapper.constructType(Objects.requireNonNull(type, "type")));
    }

    /** A class of its own, because verifying one that turns a CBORMapper into an ObjectMapper loads the CBORMapper. */
    private static final class Cbor {

        /** Each thread has its buffers: a pool that all threads share is felt in each value. */
        private static final ObjectMapper MAPPER = new CBORMapper(CBORFactory.builder()
                .recyclerPool(JsonRecyclerPools.threadLocalPool())
                .build());

        static ObjectMapper mapper() {
            return MAPPER;
        }
    }

    @Override
    public ByteBuf encode(T value, ByteBufAllocator allocator) {
        Objects.requireNonNull(value, "value");
        ByteBuf payload = allocator.buffer();
        boolean written = false;
        try {
            writer.writeValue((OutputStream) new ByteBufOutputStream(payload), value);
            written = true;
            return payload;
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "a " + value.getClass().getName() + " can't be written as " + this + ": " + explain(e),
                    foreignCause(e));
        } finally {
            if (!written) {
                payload.release();
            }
        }
    }

    @Override
    public T decode(ByteBuf payload) {
        return decode(payload, ValueMemory.UNLIMITED);
    }

    @Override
    public T decode(ByteBuf payload, ValueMemory memory) {
        try {
            T value = read(payload, memory);
            if (value == null) {
                throw mismatch(payload, "it is null", null);
            }
            return value;
        } catch (JacksonException e) {
            throw mismatch(payload, explain(e), foreignCause(e));
        } catch (WeirException e) {
            throw e;
        } catch (RuntimeException e) {
            // Jackson lets some through, for instance where a number is expected and none is there (NaN).
            throw mismatch(payload, brief(e.toString()), e);
        }
    }

    private @Nullable T read(ByteBuf payload, ValueMemory memory) {
        // Also a copy of what a peer may still write to: what was looked at is what is parsed.
        byte[] bytes = payload.hasArray() ? payload.array() : ByteBufUtil.getBytes(payload);
        int from = payload.hasArray() ? payload.arrayOffset() + payload.readerIndex() : 0;
        int length = payload.readableBytes();
        int weight = cbor && length <= CborScan.SHORT ? CborScan.weightOfPlain(bytes, from, length) : -1;
        if (weight >= 0) {
            memory.use(weight);
            return read(reader.createParser(bytes, from, length));
        }
        String objection = cbor ? CborScan.objection(bytes, from, length) : null;
        if (objection != null) {
            throw mismatch(payload, objection, null);
        }
        CheckedParser parser = new CheckedParser(reader.createParser(bytes, from, length), length, memory);
        try {
            T value = read(parser);
            parser.count();
            return value;
        } catch (JacksonException e) {
            // A deserialiser has wrapped it.
            parser.rethrowRefusal();
            throw e;
        }
    }

    private @Nullable T read(JsonParser parser) {
        T value = reader.readValue(parser);
        // Not after an error: then it would keep the names that it has read for later.
        parser.close();
        return value;
    }

    private ProtocolMismatch mismatch(ByteBuf payload, String why, @Nullable Throwable cause) {
        return new ProtocolMismatch(
                "a payload of " + payload.readableBytes() + " bytes is not " + this + ": " + why, cause);
    }

    private static String explain(JacksonException e) {
        String path = e.getPath().isEmpty() ? "" : " at " + e.getPathReference();
        String text = e.getOriginalMessage() + path;
        return brief(text);
    }

    private static String brief(String text) {
        return ForeignText.harmless(text.length() <= EXPLANATION ? text : text.substring(0, EXPLANATION) + "...");
    }

    /**
     * What other code threw on Jackson's behalf. Jackson's own exceptions are not kept: they hold its parser, and that
     * the payload.
     */
    private static @Nullable Throwable foreignCause(JacksonException e) {
        return e.getCause() instanceof JacksonException ? null : e.getCause();
    }

    /** For instance {@code com.example.Price in JSON}. */
    @Override
    public String toString() {
        return type + " in " + format;
    }
}
