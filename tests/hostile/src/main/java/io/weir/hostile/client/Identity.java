package io.weir.hostile.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a client says of itself, true or not.
 *
 * @param key what it has
 * @param id what it says; that of another key is a lie
 * @param secrets what it proves to know: none, one, or the present one and the former one
 */
public record Identity(Key key, UUID id, long incarnation, String name, List<String> secrets) {

    private static final int HAS_SECRET = 2;
    private static final int ID = 16;
    private static final int NAME = 40;

    /** Somebody new. */
    public static Identity fresh() {
        return of(Key.fresh());
    }

    /** Who has this key. */
    public static Identity of(Key key) {
        return new Identity(key, key.id(), 1, "hostile", List.of());
    }

    /** Somebody new who knows a secret, and maybe a former one. */
    public static Identity knowing(String... secrets) {
        Identity fresh = fresh();
        return new Identity(fresh.key, fresh.id, fresh.incarnation, fresh.name, List.of(secrets));
    }

    /** Who says that he is another one, and has a key of his own. */
    public static Identity claiming(UUID id, long incarnation, String name) {
        return new Identity(Key.fresh(), id, incarnation, name, List.of());
    }

    /** As if it had started so much later. */
    public Identity later(long by) {
        return new Identity(key, id, incarnation + by, name, secrets);
    }

    /**
     * The body of a HELLO, another one each time.
     *
     * @param dialled the address of the node, in figures of the loopback network; or nothing
     */
    public byte[] hello(String dialled) {
        return hello(dialled, Key.fresh());
    }

    /** The body of a HELLO with this ephemeral key. */
    public byte[] hello(String dialled, Key ephemeral) {
        return new Bytes()
                .bytes("WEIR".getBytes(StandardCharsets.US_ASCII))
                .bytes((byte) 2, (byte) 0, (byte) 0, (byte) 0)
                .word(secrets.isEmpty() ? 0 : HAS_SECRET)
                .word(id.getMostSignificantBits())
                .word(id.getLeastSignificantBits())
                .word(incarnation)
                .text(name)
                .bytes(ephemeral.bytes())
                .text(dialled)
                .text(dialled)
                .text(dialled.isEmpty() ? "" : bootId())
                .toArray();
    }

    /** The id that this HELLO has. */
    static UUID idIn(byte[] hello) {
        ByteBuffer fields = ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN);
        return new UUID(fields.getLong(ID), fields.getLong(ID + Long.BYTES));
    }

    /** The ephemeral key that this HELLO has. */
    static byte[] keyIn(byte[] hello) {
        ByteBuffer fields = ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN);
        int at = NAME + Short.BYTES + (fields.getShort(NAME) & 0xffff);
        return Arrays.copyOfRange(hello, at, at + Key.LENGTH);
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
}
