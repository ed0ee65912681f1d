package io.weir.hostile.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static final int DIALLED_FOLLOWS = 8;

    /** Somebody new. */
    public static Identity fresh() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Identity(new UUID(random.nextLong(), random.nextLong()), 1, "hostile", Optional.empty());
    }

    public static Identity knowing(String secret) {
        Identity fresh = fresh();
        return new Identity(fresh.id, fresh.incarnation, fresh.name, Optional.of(secret));
    }

    /**
     * The body of a HELLO, another one each time.
     *
     * @param dialled the address of the node, in figures of the loopback network; or nothing
     */
    public byte[] hello(String dialled) {
        byte[] random = new byte[32];
        ThreadLocalRandom.current().nextBytes(random);
        return new Bytes()
                .bytes("WEIR".getBytes(StandardCharsets.US_ASCII))
                .bytes((byte) 1, (byte) 0, (byte) 0, (byte) 0)
                .word(RANDOM_FOLLOWS | DIALLED_FOLLOWS | (secret.isPresent() ? WANTS_PROOF : 0))
                .word(id.getMostSignificantBits())
                .word(id.getLeastSignificantBits())
                .word(incarnation)
                .text(name)
                .bytes(random)
                .text(dialled)
                .text(dialled)
                .text(dialled.isEmpty() ? "" : bootId())
                .toArray();
    }

    /** The kernel's, by which the node knows that its loopback address is ours; nothing where there is none. */
    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException missing) {
            return "";
        }
    }

    /** The body of a CARD that has nothing but tcp. */
    static byte[] card() {
        return card("", -1, "tcp");
    }

    /** The body of a CARD of a process on this host, of this user, that has these paths, whose cards are empty. */
    static byte[] card(int uid, String... paths) {
        return card(bootId(), uid, paths);
    }

    private static byte[] card(String boot, int uid, String... paths) {
        Bytes card = new Bytes()
                .word(ThreadLocalRandom.current().nextLong())
                .text(boot)
                .word(uid)
                .text("hostile")
                .text("")
                .word(0)
                .int16(paths.length);
        for (String path : paths) {
            card.text(path).text("");
        }
        return card.int16(0).int16(0).toArray();
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
