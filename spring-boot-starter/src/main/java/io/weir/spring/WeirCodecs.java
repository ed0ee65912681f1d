package io.weir.spring;

import io.weir.core.Codec;
import io.weir.core.Codecs;
import io.weir.core.Misconfigured;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.ObjectMapper;

/** Codecs over the application's own mappers, for channels. Any thread. */
public final class WeirCodecs {

    private final ObjectMapper json;
    private final @Nullable ObjectMapper cbor;

    /** Over these mappers; null: the format is not on the class path. */
    public WeirCodecs(ObjectMapper json, @Nullable ObjectMapper cbor) {
        this.json = json;
        this.cbor = cbor;
    }

    /** Values of this class in JSON. */
    public <T> Codec<T> json(Class<T> type) {
        return Codecs.json(type, json);
    }

    /** Values of this type in JSON: {@code json(new TypeReference<List<Price>>() {})}. */
    public <T> Codec<T> json(TypeReference<T> type) {
        return Codecs.json(type, json);
    }

    /** Values of this class in CBOR. */
    public <T> Codec<T> cbor(Class<T> type) {
        return Codecs.json(type, cborMapper());
    }

    /** Values of this type in CBOR. */
    public <T> Codec<T> cbor(TypeReference<T> type) {
        return Codecs.json(type, cborMapper());
    }

    /** What JSON is mapped by. */
    public ObjectMapper jsonMapper() {
        return json;
    }

    /**
     * What CBOR is mapped by.
     *
     * @throws Misconfigured if there is no CBOR
     */
    public ObjectMapper cborMapper() {
        if (cbor == null) {
            throw new Misconfigured("values can't be written in CBOR, which is not on the class path; add"
                    + " tools.jackson.dataformat:jackson-dataformat-cbor, or set weir.codec=json");
        }
        return cbor;
    }
}
