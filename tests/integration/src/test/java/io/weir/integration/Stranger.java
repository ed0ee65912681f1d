package io.weir.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.FrameKind;
import io.weir.core.FrameLayout;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Speaks the protocol by hand over a socket, so that it can also speak it wrongly. Written from the description of the
 * wire, not with the code that is tested. It has a key of its own, and is who has this key unless it claims something
 * else.
 */
public final class Stranger implements AutoCloseable {

    /** Of the protocol. */
    public static final int MAJOR = 2;

    /** Bytes of the first PROOF of the accepting side. */
    public static final int SECOND_MESSAGE = 64;
    /** Bytes of the PROOF of the connecting side, if it knows one secret at most: a key, and a tag by the secret. */
    public static final int THIRD_MESSAGE = 64;
    /** Bytes of a tag. */
    public static final int TAG = StrangersExchange.TAG;
    /** Bytes of the last PROOF. */
    public static final int LAST_MESSAGE = 17;

    /** Its half of the number of each session. */
    static final long HALF = 0x1234;

    /** In HELLO's features: a secret is to be proved. */
    public static final long SECRET = 2;
    /** In HELLO's features: the connection is for a session that there is. */
    public static final long AGAIN = 4;

    private static final int MAGIC = 0x52494557;

    /** In HELLO, where the name begins with its length. */
    private static final int NAME = 40;

    private static final byte[] NONE = {};

    /** A frame that has arrived. */
    public record Arrived(FrameKind kind, int flags, int channel, int aux, long first, long second, byte[] body) {

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Who it says it is. */
    public PeerId is;
    /** Of the session that it has come to. */
    public long sessionNumber;

    private final StrangersKey key;
    private final StrangersKey ephemeral = StrangersKey.make();
    private final Socket socket;
    /** Whether it has connected, and not been connected to. */
    private final boolean connecting;

    private final DataInputStream in;
    private final OutputStream out;

    /** The one that it has now, and the former one. */
    private List<String> secrets = List.of();
    /** The body of the HELLO that it has said. */
    private byte[] ours = NONE;
    /** The body of the HELLO that it has heard. */
    private byte[] theirs = NONE;

    private @Nullable StrangersExchange exchange;

    private Stranger(Socket socket, StrangersKey key, PeerId is, boolean connecting) {
        this.is = is;
        this.key = key;
        this.connecting = connecting;
        try {
            this.socket = socket;
            socket.setSoTimeout((int) Patience.LIMIT.toMillis());
            in = new DataInputStream(socket.getInputStream());
            out = socket.getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Stranger(Socket socket, StrangersKey key, boolean connecting) {
        this(socket, key, new PeerId(StrangersKey.id(key.open()), "stranger", 7), connecting);
    }

    /** A connection on which nothing was said. */
    public static Stranger connect(PeerAddress address) {
        return over(socket(address));
    }

    /** Another connection of this one. */
    public Stranger again(PeerAddress address) {
        return againOver(socket(address));
    }

    private static Socket socket(PeerAddress address) {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address.host(), address.port()));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The connecting side of a connection. */
    public static Stranger over(Socket connected) {
        return new Stranger(connected, StrangersKey.make(), true);
    }

    /** The connecting side of another connection of this one. */
    public Stranger againOver(Socket connected) {
        return asThis(new Stranger(connected, key, is, true));
    }

    /** The accepting side of a connection. */
    public static Stranger of(Socket accepted) {
        return new Stranger(accepted, StrangersKey.make(), false);
    }

    /** The accepting side of another connection of this one. */
    public Stranger again(Socket accepted) {
        return asThis(new Stranger(accepted, key, is, false));
    }

    /** The connecting side of a connection, as one who says that it is this one, and has not the key. */
    public static Stranger of(Socket connected, PeerId is) {
        return over(connected).claiming(is);
    }

    /**
     * The connecting side of a connection, as one who has chosen a key whose public half is of small order: everybody
     * knows what others agree on with that.
     */
    public static Stranger ofSmallOrder(Socket connected, byte[] open) {
        return new Stranger(connected, StrangersKey.ofSmallOrder(open), true);
    }

    /** The accepting side of one. */
    public static Stranger acceptingOfSmallOrder(Socket accepted, byte[] open) {
        return new Stranger(accepted, StrangersKey.ofSmallOrder(open), false);
    }

    /** The same, as one who knows no secret. */
    public Stranger knowingNone() {
        secrets = List.of();
        return this;
    }

    private Stranger asThis(Stranger other) {
        other.secrets = secrets;
        return other;
    }

    /** The same, as one who says from now on that it is this one. */
    public Stranger claiming(PeerId other) {
        is = other;
        return this;
    }

    /** The same, as one who knows this secret. */
    public Stranger knowing(String secret) {
        secrets = List.of(secret);
        return this;
    }

    /** The same, as one who knows these. */
    public Stranger knowing(String secret, String former) {
        secrets = List.of(secret, former);
        return this;
    }

    /** A connection whose handshake has ended well: a session over tcp, in which we are the connecting side. */
    public static Stranger inSession(PeerAddress address) {
        return connect(address).begin();
    }

    /** Goes through the handshake as the connecting side: then there is a session over tcp. */
    public Stranger begin() {
        greet();
        return beginAdmitted();
    }

    /** The same of one that is admitted already. */
    public Stranger beginAdmitted() {
        card(Map.of("tcp", ""));
        sessionNumber = HALF
                ^ ByteBuffer.wrap(await(FrameKind.CARD).body)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getLong();
        propose(1, "tcp");
        use(1);
        return this;
    }

    /** What follows PROPOSE of the bootstrap connection itself, up to USE. */
    private void use(int attempt) {
        offer(attempt, 42, new byte[0]);
        await(FrameKind.OPENED);
        send(FrameKind.OPENED, 0, 0, attempt, new byte[0]);
        send(FrameKind.USE, 0, 0, attempt, new byte[0]);
    }

    /** The accepting side up to a session over tcp, which the other side leads. */
    public void join() {
        greet();
        card(Map.of("tcp", ""));
        int attempt = await(FrameKind.PROPOSE).aux;
        offer(attempt, 42, new byte[0]);
        long nonce = ByteBuffer.wrap(await(FrameKind.OFFER).body)
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong();
        send(FrameKind.OPENED, 0, 0, attempt, new byte[0]);
        for (Arrived frame; (frame = read()) != null && frame.kind != FrameKind.USE; ) {
            if (frame.kind == FrameKind.PROBE) {
                send(FrameKind.PROBED, 0, 0, attempt, nonce, frame.second, new byte[0], new byte[0]);
            }
        }
        send(FrameKind.USE, 0, 0, attempt, new byte[0]);
    }

    /** Is admitted for a session that there is, and says which one, as who leads it. */
    public void rejoin(long number) {
        greetAgain();
        rejoinNow(number);
    }

    /** Is admitted for a session that there is. */
    public void greetAgain() {
        helloAgain();
        prove();
    }

    /** Says HELLO for a session that there is. */
    public void helloAgain() {
        hello(helloOf(MAJOR, 0, features() | AGAIN));
    }

    /** Behind that, which one. */
    public void rejoinNow(long number) {
        send(FrameKind.REJOIN, 1, 0, 0, number, 0, new byte[0], new byte[0]);
    }

    /** Goes on over this connection, which was rejoined, as if it had had so many frames. */
    public void goOn(int attempt, long received) {
        propose(attempt, "tcp");
        use(attempt);
        send(FrameKind.RESUME, 0, 0, attempt, received, 0, new byte[0], new byte[0]);
    }

    /** Says HELLO, proves who it is and hears who the other one is: both are admitted then. */
    public void greet() {
        hello();
        prove();
    }

    /** What follows HELLO of this one until both are admitted. */
    public void prove() {
        say(proof());
        if (connecting) {
            assertThat(admitted()).isBetween(0, 1);
        } else {
            say(lastProof(1));
        }
    }

    /** Says HELLO as everybody does. */
    public void hello() {
        hello(MAJOR, 0);
    }

    public void hello(int major, int minor) {
        hello(helloOf(major, minor, features()));
    }

    /**
     * Says this; the first time it is what is proved then. The accepting side says nothing before the other one has
     * said its own.
     */
    public void hello(byte[] body) {
        if (!connecting) {
            hear();
        }
        if (ours.length == 0) {
            ours = body;
        }
        send(FrameKind.HELLO, 0, 0, 0, body);
    }

    /** The other one has said HELLO. */
    private void hear() {
        if (theirs.length == 0) {
            var unused = await(FrameKind.HELLO);
        }
    }

    private long features() {
        return secrets.isEmpty() ? 0 : SECRET;
    }

    public byte[] helloOf(int major, int minor, long features) {
        return helloOf(major, minor, features, ephemeral.open());
    }

    /** The body of a HELLO with this ephemeral key. */
    public byte[] helloOf(int major, int minor, long features, byte[] open) {
        Bytes body = new Bytes().int32(MAGIC).int8(major).int8(minor).int16(0).int64(features);
        body.int64(is.id().getMostSignificantBits())
                .int64(is.id().getLeastSignificantBits())
                .int64(is.incarnation());
        body.text(is.name()).raw(open);
        if (!connecting) {
            return body.text("").text("").text("").bytes();
        }
        String dialled = "tcp://" + socket.getInetAddress().getHostAddress() + ':' + socket.getPort();
        return body.text(dialled).text(dialled).text(bootId()).bytes();
    }

    /** Where the ephemeral key begins in the body of this HELLO. */
    public static int keyIn(byte[] hello) {
        ByteBuffer words = ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN);
        return NAME + Short.BYTES + Short.toUnsignedInt(words.getShort(NAME));
    }

    private static byte[] ephemeralIn(byte[] hello) {
        int at = keyIn(hello);
        return Arrays.copyOfRange(hello, at, at + StrangersKey.LENGTH);
    }

    private static UUID idIn(byte[] hello) {
        ByteBuffer words = ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN);
        return new UUID(words.getLong(16), words.getLong(24));
    }

    /**
     * What it has to prove first, made of what it has heard of the other one: HELLO, and as the connecting side PROOF
     * as well.
     */
    public byte[] proof() {
        hear();
        byte[] here = ephemeralIn(ours);
        byte[] there = ephemeralIn(theirs);
        StrangersExchange begun = new StrangersExchange(ephemeral, key, prologue(), connecting ? here : there);
        exchange = begun;
        if (!connecting) {
            return begun.second(there);
        }
        byte[] shown = begun.readSecond(there, await(FrameKind.PROOF).body);
        assertThat(StrangersKey.id(shown)).as("the id of its key").isEqualTo(idIn(theirs));
        return begun.third(keys());
    }

    /** As the connecting side, behind its PROOF: what the other one says when it has admitted this one. */
    public int admitted() {
        byte[] payload = Objects.requireNonNull(exchange).readLast(await(FrameKind.PROOF).body);
        assertThat(payload).hasSize(1);
        return payload[0];
    }

    /** As the accepting side, behind its first PROOF: what it says when the other one has proved who it is. */
    public byte[] lastProof(int said) {
        return lastProof(await(FrameKind.PROOF).body, said);
    }

    /** The same of one that has proved this. */
    public byte[] lastProof(byte[] proof, int said) {
        StrangersExchange present = Objects.requireNonNull(exchange);
        byte[] shown = present.readThird(proof, keys());
        if (shown == null) {
            throw new AssertionError("it knows another secret");
        }
        assertThat(StrangersKey.id(shown)).as("the id of its key").isEqualTo(idIn(theirs));
        return present.last(new byte[] {(byte) said});
    }

    /** The same of one that has proved this, if it knows another secret. */
    public byte[] lastProofUnseen(byte[] proof) {
        StrangersExchange present = Objects.requireNonNull(exchange);
        assertThat(present.readThird(proof, keys())).isNull();
        return present.lastUnseen(proof, keys().get(0), new byte[] {1});
    }

    /** Sends this as PROOF when the other one has proved itself: before that there is no place for it. */
    public void sayInTurn(byte[] proof) {
        var unused = await(FrameKind.PROOF);
        say(proof);
    }

    /** Sends this as PROOF. */
    public void say(byte[] proof) {
        send(FrameKind.PROOF, 0, 0, 0, proof);
    }

    /** Each secret as the exchange needs it. */
    private List<byte[]> keys() {
        if (secrets.isEmpty()) {
            return List.of(new byte[32]);
        }
        byte[] label = "weir psk".getBytes(StandardCharsets.US_ASCII);
        return secrets.stream()
                .map(secret -> StrangersExchange.hmac(secret.getBytes(StandardCharsets.UTF_8), label))
                .toList();
    }

    private byte[] prologue() {
        byte[] first = connecting ? ours : theirs;
        byte[] second = connecting ? theirs : ours;
        byte[] binding = binding().getBytes(StandardCharsets.UTF_8);
        return new Bytes()
                .int32(first.length)
                .raw(first)
                .int32(second.length)
                .raw(second)
                .int32(binding.length)
                .raw(binding)
                .bytes();
    }

    /** RFC 5929, tls-server-end-point; empty without TLS. */
    private String binding() {
        if (!(socket instanceof SSLSocket tls)) {
            return "";
        }
        try {
            Certificate[] shown = connecting
                    ? tls.getSession().getPeerCertificates()
                    : tls.getSession().getLocalCertificates();
            X509Certificate certificate = (X509Certificate) shown[0];
            MessageDigest digest = MessageDigest.getInstance(hash(certificate.getSigAlgName()));
            return HexFormat.of().formatHex(digest.digest(certificate.getEncoded()));
        } catch (SSLPeerUnverifiedException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String hash(String signature) {
        String name = signature.toUpperCase(Locale.ROOT);
        return name.startsWith("SHA384") ? "SHA-384" : name.startsWith("SHA512") ? "SHA-512" : "SHA-256";
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Says who it is; its half of the session's number is {@link #HALF}. */
    public void card(Map<String, String> ready) {
        Bytes body = new Bytes()
                .int64(HALF)
                .text("boot")
                .int64(1)
                .text("process")
                .text("host")
                .int64(1);
        body.int16(ready.size());
        ready.forEach((path, card) -> body.text(path).text(card));
        send(FrameKind.CARD, 0, 0, 0, body.int16(0).int16(0).bytes());
    }

    public void propose(int attempt, String path) {
        send(FrameKind.PROPOSE, 0, 0, attempt, path.getBytes(StandardCharsets.UTF_8));
    }

    public void offer(int attempt, long nonce, byte[] offer) {
        send(FrameKind.OFFER, 0, 0, attempt, new Bytes().int64(nonce).raw(offer).bytes());
    }

    /** Opens a channel, with this much credit for what comes back. */
    public void open(int channel, String port, int flags, long items, long bytes) {
        send(FrameKind.OPEN, flags, channel, 0, items, bytes, new byte[0], port.getBytes(StandardCharsets.UTF_8));
    }

    public void send(FrameKind kind, int flags, int channel, int aux, byte[] body) {
        send(kind, flags, channel, aux, 0, 0, new byte[0], body);
    }

    public void send(FrameKind kind, int channel, long first, long second) {
        send(kind, 0, channel, 0, first, second, new byte[0], new byte[0]);
    }

    public void send(
            FrameKind kind, int flags, int channel, int aux, long first, long second, byte[] control, byte[] body) {
        int length = control.length + body.length;
        Bytes frame = new Bytes()
                .int64(FrameLayout.word0(kind.code(), flags, control.length, length))
                .int64(FrameLayout.word1(channel, aux));
        if (kind.words() > 0) {
            frame.int64(first);
        }
        if (kind.words() > 1) {
            frame.int64(second);
        }
        write(frame.raw(control)
                .raw(body)
                .raw(new byte[FrameLayout.align(length) - length])
                .bytes());
    }

    /** The head of a frame, of this kind whether there is one or not. */
    public static byte[] head(int length, int kind, int control) {
        return new Bytes()
                .int32(length)
                .int8(kind)
                .int8(0)
                .int16(control)
                .int64(0)
                .bytes();
    }

    /** Sends these bytes as they are. */
    public void write(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (SocketException e) {
            // The node has ended the connection already: what it said before is still there to be read.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next frame of this kind; others are passed over. */
    public Arrived await(FrameKind kind) {
        for (Arrived frame; (frame = read()) != null; ) {
            if (frame.kind == kind) {
                return frame;
            }
            if (frame.kind == FrameKind.REFUSE) {
                throw new AssertionError("refused: " + frame.text());
            }
        }
        throw new AssertionError("the connection ended before " + kind + " came");
    }

    /** Why it is refused; what comes before is passed over. */
    public Arrived refusal() {
        for (Arrived frame; (frame = read()) != null; ) {
            if (frame.kind == FrameKind.REFUSE) {
                return frame;
            }
        }
        throw new AssertionError("the connection ended without a word");
    }

    /** Waits until the node has ended the connection, and is not told why. */
    public void awaitEndWithoutAWord() {
        for (Arrived frame; (frame = read()) != null; ) {
            if (frame.kind == FrameKind.REFUSE || frame.kind == FrameKind.GOODBYE) {
                throw new AssertionError("it was told " + frame.kind + ": " + frame.text());
            }
        }
    }

    /** Waits until the node has ended the connection; what it says before is passed over. */
    public void awaitEnd() {
        while (read() != null) {
            // Whatever it had to say.
        }
    }

    /** The same, of one that may say what are no frames. */
    public void awaitEndOfBytes() {
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } catch (SocketException e) {
            // That is one.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next frame, or null at the end of the connection. */
    public @Nullable Arrived read() {
        try {
            byte[] head = new byte[FrameLayout.HEADER];
            in.readFully(head);
            ByteBuffer words = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
            long word0 = words.getLong();
            long word1 = words.getLong();
            FrameKind kind = FrameKind.of(FrameLayout.kindCode(word0));
            if (kind == null) {
                throw new AssertionError("a frame of unknown kind " + FrameLayout.kindCode(word0));
            }
            long first = kind.words() > 0 ? Long.reverseBytes(in.readLong()) : 0;
            long second = kind.words() > 1 ? Long.reverseBytes(in.readLong()) : 0;
            byte[] rest = new byte[FrameLayout.align(FrameLayout.length(word0))];
            in.readFully(rest);
            int control = FrameLayout.controlLength(word0);
            byte[] body = Arrays.copyOfRange(rest, control, FrameLayout.length(word0));
            if (kind == FrameKind.HELLO && theirs.length == 0) {
                theirs = body;
            }
            return new Arrived(
                    kind,
                    FrameLayout.flags(word0),
                    FrameLayout.channel(word1),
                    FrameLayout.aux(word1),
                    first,
                    second,
                    body);
        } catch (EOFException | SocketException e) {
            return null;
        } catch (IOException e) {
            throw new AssertionError("the node neither speaks nor ends the connection", e);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes in the order of the wire. */
    private static final class Bytes {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Bytes number(long value, int size) {
            for (int i = 0; i < size; i++) {
                out.write((int) (value >>> 8 * i));
            }
            return this;
        }

        Bytes int8(int value) {
            return number(value, 1);
        }

        Bytes int16(int value) {
            return number(value, 2);
        }

        Bytes int32(int value) {
            return number(value, 4);
        }

        Bytes int64(long value) {
            return number(value, 8);
        }

        Bytes text(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return int16(bytes.length).raw(bytes);
        }

        Bytes raw(byte[] bytes) {
            out.writeBytes(bytes);
            return this;
        }

        byte[] bytes() {
            return out.toByteArray();
        }
    }
}
