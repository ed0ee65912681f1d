package io.weir.benchmark.contender;

import tools.jackson.databind.json.JsonMapper;

/** What is not plain words in the lines between runner and children. */
public final class Lines {

    private static final JsonMapper JSON = new JsonMapper();

    private Lines() {}

    static String toJson(Measurement measured) {
        return JSON.writeValueAsString(measured);
    }

    /** Reads what a child has written behind RESULT; what it leaves out is zero. */
    public static Measurement measurement(String json) {
        return JSON.readValue(json, Measurement.class);
    }
}
