package io.weir.hostile.client;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What a client says of itself, true or not. */
public record Identity(UUID id, long incarnation, String name, Optional<String> secret) {

    private static final int RANDOM_FOLLOWS = 1;
    private static final int WANTS_PROOF = 2;

    /** Somebody new. */
    public static Identity fresh() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Identity(new UUID(random.nextLong(), random.nextLong()), 1, "hostile", Optional.empty());
    }

    public static Identity knowing(String secret) {
        Identity fresh = fresh();
        return new Identity(fresh.id, fresh.incarnation, fresh.name, Optional.of(secret));
    }

    /** The body of a HELLO, another one each time. */
    public byte[] hello() {
        byte[] random = new byte[32];
        ThreadLocalRandom.current().nextBytes(random);
        return new Bytes()
                .bytes("WEIR".getBytes(StandardCharsets.US_ASCII))
                .bytes((byte) 1, (byte) 0, (byte) 0, (byte) 0)
                .word(secret.isPresent() ? RANDOM_FOLLOWS | WANTS_PROOF : RANDOM_FOLLOWS)
                .word(id.getMostSignificantBits())
                .word(id.getLeastSignificantBits())
                .word(incarnation)
                .text(name)
                .bytes(random)
                .toArray();
    }

    /** The body of a CARD that has nothing but tcp. */
    static byte[] card() {
        return new Bytes()
                .word(ThreadLocalRandom.current().nextLong())
                .text("")
                .word(-1)
                .text("hostile")
                .text("")
                .word(0)
                .int16(1)
                .text("tcp")
                .text("")
                .int16(0)
                .int16(0)
                .toArray();
    }

    /** Whether both sides prove their secret, after these HELLOs. */
    static boolean proves(byte[] hello) {
        return (hello[8] & WANTS_PROOF) != 0;
    }

    /** The code of a role, {@code C} or {@code A}. */
    static byte[] proof(String secret, char role, byte[] helloOfC, byte[] helloOfA) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.strip().getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac.doFinal(new Bytes()
                    .bytes((byte) role)
                    .int32(helloOfC.length)
                    .bytes(helloOfC)
                    .int32(helloOfA.length)
                    .bytes(helloOfA)
                    .int32(0)
                    .toArray());
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException("HmacSHA256 is part of every JDK", missing);
        }
    }
}
