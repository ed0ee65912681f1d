package io.weir.service.remote;

import io.weir.core.Misconfigured;
import java.io.ObjectInputFilter;
import tools.jackson.databind.ObjectMapper;

/**
 * The codecs for remote calls that Weir brings. Those of Jackson need Jackson 3 on the class path, the other one
 * nothing.
 */
public final class CallCodecs {

    private CallCodecs() {}

    /**
     * CBOR, as Jackson maps values by default: properties that the receiver does not know are ignored, no class is ever
     * chosen by what was sent, and nesting is limited to 500 levels.
     *
     * @throws Misconfigured if Jackson or its CBOR format is absent, naming the artifact to add
     */
    public static CallCodec cbor() {
        require("tools.jackson.databind.json.JsonMapper", "tools.jackson.core:jackson-databind");
        require("tools.jackson.dataformat.cbor.CBORMapper", "tools.jackson.dataformat:jackson-dataformat-cbor");
        return JacksonCallCodec.cbor();
    }

    /** What this mapper writes. The name stands for its format and settings: the two sides compare it. */
    public static CallCodec jackson(String name, ObjectMapper mapper) {
        return new JacksonCallCodec(name, mapper);
    }

    /**
     * Java's serialisation, for what nothing else maps. Only classes that the filter allows explicitly are made, and
     * streams of more than 20 levels, 100 000 references, or arrays that together have more elements than the stream
     * has bytes are refused, and so are sets, maps and lists that hold each other so often that the hash codes of all
     * objects of the stream would together take more than 32 steps for each object and each reference, and 16,384
     * beside that. A set or map whose keys have equal hash codes takes time by the square of their number, on a thread
     * that may block. Each class that is allowed is code that a peer can run: allow few, and never {@code *}.
     *
     * @param allowed for instance {@code
     *     ObjectInputFilter.Config.createFilter("com.example.Order;java.util.ArrayList")}
     */
    public static CallCodec serialized(ObjectInputFilter allowed) {
        return new SerialCallCodec(allowed);
    }

    private static void require(String type, String artifact) {
        try {
            Class.forName(type, false, CallCodecs.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new Misconfigured(
                    "calls are written in CBOR, which needs Jackson 3: add " + artifact
                            + (CallCodecs.class.getModule().isNamed()
                                    ? " to the module path and have a module of yours require it"
                                    : " to the class path")
                            + ", or choose another CallCodec",
                    e);
        }
    }
}
