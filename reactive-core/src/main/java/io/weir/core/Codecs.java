package io.weir.core;

import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.ObjectMapper;

/**
 * The codecs that Weir brings. All encode into memory of the given allocator and read a payload without consuming it.
 * Whatever is not a value of theirs is refused with {@link ProtocolMismatch}, which says why.
 *
 * <p>JSON and CBOR need Jackson 3 on the class path, the others nothing. Whatever the mapper allows, they refuse what
 * would take far more time or memory than its length: numbers with exponents beyond 500, names of more than 4096
 * characters, lists and objects that are hardly anything else, many values that are nested deeply; in CBOR also more
 * than 8 tags of one value, and references to strings.
 */
@SuppressWarnings("exports") // Jackson is optional: whoever names its classes requires it.
public final class Codecs {

    private static final String DATABIND = "tools.jackson.core:jackson-databind";
    private static final String CBOR = "tools.jackson.dataformat:jackson-dataformat-cbor";

    private Codecs() {}

    /** Bytes as they are. Both directions copy, so an array may be used again at once. */
    public static Codec<byte[]> bytes() {
        return BytesCodec.INSTANCE;
    }

    /** Text in UTF-8. What is not well-formed is an error, never silently replaced. */
    public static Codec<String> text() {
        return TextCodec.INSTANCE;
    }

    /**
     * Values of this class in JSON, as Jackson maps them by default.
     *
     * @throws Misconfigured if Jackson is absent, naming the artifact to add
     */
    public static <T> Codec<T> json(Class<T> type) {
        requireDatabind("JSON");
        return JacksonCodec.json(type);
    }

    /** As {@link #json(Class)}, for generic types: {@code json(new TypeReference<List<Price>>() {})}. */
    public static <T> Codec<T> json(TypeReference<T> type) {
        requireDatabind("JSON");
        return JacksonCodec.json(type.getType());
    }

    /** As {@link #json(Class)}, mapped by this mapper; one of another format than JSON works as well. */
    public static <T> Codec<T> json(Class<T> type, ObjectMapper mapper) {
        return JacksonCodec.of(mapper, type);
    }

    /** As {@link #json(TypeReference)}, mapped by this mapper; one of another format than JSON works as well. */
    public static <T> Codec<T> json(TypeReference<T> type, ObjectMapper mapper) {
        return JacksonCodec.of(mapper, type.getType());
    }

    /**
     * Values of this class in CBOR, as Jackson maps them by default.
     *
     * @throws Misconfigured if Jackson or its CBOR format is absent, naming the artifact to add
     */
    public static <T> Codec<T> cbor(Class<T> type) {
        requireCbor();
        return JacksonCodec.cbor(type);
    }

    /** As {@link #cbor(Class)}, for generic types. */
    public static <T> Codec<T> cbor(TypeReference<T> type) {
        requireCbor();
        return JacksonCodec.cbor(type.getType());
    }

    /**
     * Records of this class, for many short messages. Their layout follows from their declaration, and Jackson is not
     * needed. Both sides must declare the same record, with the same components in the same order: a payload does not
     * say what it is, and one of another record of the same length is taken for this one.
     *
     * <p>The components may be of these types, and are written in the order of their declaration, little-endian and
     * without gaps:
     *
     * <ul>
     *   <li>{@code boolean} as a byte, 0 or 1; {@code byte}, {@code short}, {@code char}, {@code int}, {@code long},
     *       {@code float}, {@code double} with the bytes that they have
     *   <li>an enum as an {@code int}, its ordinal; not null
     *   <li>{@link String} as an {@code int}, the length of its UTF-8 in bytes, or -1 if it is null; the bytes of all
     *       texts follow at the end, in order
     *   <li>a record of such components, as if they stood in its place; not null
     * </ul>
     *
     * <p>A value is made by the constructor of the record: what that refuses is refused with {@link ProtocolMismatch}.
     *
     * @throws Misconfigured if a component is of another type, or the module of the record is not open to Weir
     */
    public static <R extends Record> Codec<R> record(Class<R> type) {
        return new RecordCodec<>(type);
    }

    private static void requireDatabind(String format) {
        require(format, "tools.jackson.databind.json.JsonMapper", DATABIND);
    }

    private static void requireCbor() {
        requireDatabind("CBOR");
        require("CBOR", "tools.jackson.dataformat.cbor.CBORMapper", CBOR);
    }

    private static String where() {
        return Codecs.class.getModule().isNamed()
                ? "to the module path and have a module of yours require it"
                : "to the class path";
    }

    private static void require(String format, String type, String artifact) {
        try {
            Class.forName(type, false, Codecs.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new Misconfigured("a " + format + " codec needs Jackson 3: add " + artifact + ' ' + where(), e);
        }
    }
}
