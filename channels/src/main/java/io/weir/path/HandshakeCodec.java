package io.weir.path;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.config.PathSwitch;
import io.weir.core.ForeignText;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The bodies of handshake frames. Numbers are little-endian; a text is its length in bytes (16 bits) and UTF-8; a map
 * is its size (16 bits) and key and value texts in turn.
 *
 * <pre>
 * HELLO  'W' 'E' 'I' 'R', major (8), minor (8), zero (16), features (64), id (2 x 64), incarnation (64), name,
 *        ephemeral key of 32 bytes, what was dialled: address, reached, host; see Dialled
 * PROOF  see Admission
 * CARD   half of the session's number (64), boot id, uid (64), process, host, pid (64), ready map, missing map,
 *        switches map
 * OFFER  nonce (64), the adapter's bytes
 * </pre>
 *
 * The form of HELLO up to the features never changes.
 */
public final class HandshakeCodec {

    /** The round of a probe that asks whether the other side is still there, when no candidate is left. */
    public static final long LAST = -1;

    /** Another major number can't talk to us; of two minor numbers the lower one counts. */
    static final int MAJOR = 2;

    static final int MINOR = 0;

    /** Its sender has a secret, and wants it to be proved. */
    static final long SECRET = 2;

    /** The connection is for a session that there is already. */
    static final long REJOINS = 4;

    private static final int MAGIC = 'W' | 'E' << 8 | 'I' << 16 | 'R' << 24;

    /** Bytes of a CARD at most, as each session keeps one: those of all paths have a few hundred. */
    static final int MAX_CARD = 16 << 10;

    /** Entries of one map at most: there are a dozen paths. */
    private static final int MAX_ENTRIES = 256;

    /** Bytes of an address: longer ones are neither looked up nor opened. */
    private static final int MAX_ADDRESS = 512;

    private static final int MAX_HOST = 128;

    /**
     * What HELLO says.
     *
     * @param key the ephemeral public key
     */
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares them.
    record Hello(int major, int minor, long features, PeerId id, byte[] key, Dialled dialled) {

        boolean rejoins() {
            return (features & REJOINS) != 0;
        }

        boolean hasSecret() {
            return (features & SECRET) != 0;
        }
    }

    /**
     * What CARD says.
     *
     * @param switches what goes with the card
     * @param half the sender's half of the number that the session will have
     */
    public record Introduction(PeerCard card, Map<String, PathSwitch> switches, long half) {}

    private HandshakeCodec() {}

    static ByteBuf hello(PeerId id, byte[] key, boolean secret, boolean rejoins, Dialled dialled) {
        ByteBuf out = Unpooled.buffer(128);
        out.writeIntLE(MAGIC).writeByte(MAJOR).writeByte(MINOR).writeShortLE(0);
        out.writeLongLE((secret ? SECRET : 0) | (rejoins ? REJOINS : 0));
        out.writeLongLE(id.id().getMostSignificantBits())
                .writeLongLE(id.id().getLeastSignificantBits())
                .writeLongLE(id.incarnation());
        writeText(out, id.name());
        out.writeBytes(key);
        writeText(out, dialled.address());
        writeText(out, dialled.reached());
        writeText(out, dialled.host());
        return out;
    }

    /**
     * Another major version is reported before anything else is looked at, because only the beginning has a fixed form.
     */
    static Hello readHello(ByteBuf in) {
        try {
            if (in.readIntLE() != MAGIC) {
                throw new ProtocolMismatch("its HELLO does not begin with WEIR");
            }
            int major = in.readUnsignedByte();
            int minor = in.readUnsignedByte();
            if (major != MAJOR) {
                throw new ProtocolMismatch("it speaks version " + major + '.' + minor + " of the protocol, this node "
                        + MAJOR + '.' + MINOR + "; use the same major version of Weir on both sides");
            }
            in.readShortLE();
            long features = in.readLongLE();
            UUID id = new UUID(in.readLongLE(), in.readLongLE());
            long incarnation = in.readLongLE();
            PeerId peer = new PeerId(id, readText(in, PeerId.MAX_NAME), incarnation);
            byte[] key = new byte[Noise.KEY];
            in.readBytes(key);
            Dialled dialled = new Dialled(readText(in, MAX_ADDRESS), readText(in, MAX_ADDRESS), readText(in, MAX_HOST));
            return new Hello(major, minor, features, peer, key, dialled);
        } catch (IndexOutOfBoundsException e) {
            throw new ProtocolMismatch("its HELLO is cut off", e);
        }
    }

    public static ByteBuf card(long half, PeerCard card, Map<String, PathSwitch> switches) {
        ByteBuf out = Unpooled.buffer(256);
        out.writeLongLE(half);
        writeText(out, card.bootId());
        out.writeLongLE(card.uid());
        writeText(out, card.process());
        writeText(out, card.host());
        out.writeLongLE(card.pid());
        writeMap(out, card.ready());
        writeMap(out, card.missing());
        Map<String, String> set = new LinkedHashMap<>();
        switches.forEach((path, value) -> set.put(path, value.name()));
        writeMap(out, set);
        return out;
    }

    public static Introduction readCard(PeerId id, ByteBuf in) {
        if (in.readableBytes() > MAX_CARD) {
            throw new ProtocolMismatch(
                    "a CARD of " + in.readableBytes() + " bytes, where " + MAX_CARD + " are the most");
        }
        try {
            long half = in.readLongLE();
            String bootId = readText(in, MAX_HOST);
            long uid = in.readLongLE();
            String process = readText(in, 128);
            String host = readText(in, 255);
            long pid = in.readLongLE();
            PeerCard card = new PeerCard(id, bootId, uid, process, host, pid, readMap(in), readMap(in));
            Map<String, PathSwitch> switches = new LinkedHashMap<>();
            readMap(in).forEach((path, value) -> switches.put(path, PathSwitch.valueOf(value)));
            return new Introduction(card, switches, half);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new ProtocolMismatch("its CARD is malformed: " + e.getMessage(), e);
        }
    }

    static ByteBuf offer(long nonce, byte[] offer) {
        return Unpooled.buffer(8 + offer.length).writeLongLE(nonce).writeBytes(offer);
    }

    public static ByteBuf text(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Free text of the other side, shortened, with everything that could disturb a log taken out. */
    public static String readReason(ByteBuf in) {
        String text = in.toString(in.readerIndex(), Math.min(in.readableBytes(), 1024), StandardCharsets.UTF_8);
        return ForeignText.harmless(text);
    }

    private static void writeText(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShortLE(bytes.length).writeBytes(bytes);
    }

    private static String readText(ByteBuf in, int longest) {
        int length = in.readUnsignedShortLE();
        if (length > longest) {
            throw new ProtocolMismatch("a text of " + length + " bytes is longer than " + longest);
        }
        byte[] bytes = ByteBufUtil.getBytes(in, in.readerIndex(), length);
        in.skipBytes(length);
        return ForeignText.harmless(new String(bytes, StandardCharsets.UTF_8));
    }

    private static void writeMap(ByteBuf out, Map<String, String> map) {
        out.writeShortLE(map.size());
        map.forEach((key, value) -> {
            writeText(out, key);
            writeText(out, value);
        });
    }

    private static Map<String, String> readMap(ByteBuf in) {
        int size = in.readUnsignedShortLE();
        if (size > MAX_ENTRIES) {
            throw new ProtocolMismatch("a map of " + size + " entries is larger than " + MAX_ENTRIES);
        }
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            map.put(readText(in, 64), readText(in, 4096));
        }
        return map;
    }
}
