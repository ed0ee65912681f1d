package io.weir.samples.process;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;

/** Nodes that listen beyond their host want something that keeps strangers out. */
public final class Secret {

    private static final int BYTES = 32;

    private Secret() {}

    /** What the processes of one run are told: a secret that nobody else has, whatever else is configured. */
    public static Map<String, String> settings() {
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        return Map.of("WEIR_SECURITY_SECRET", HexFormat.of().formatHex(secret), "WEIR_SECURITY_SECRET_FILE", "");
    }
}
