package io.weir.integration;

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
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Speaks the protocol by hand over a plain socket, so that it can also speak it wrongly. Written from the description
 * of the wire, not with the code that is tested.
 */
public final class Stranger implements AutoCloseable {

    /** Its half of the number of each session. */
    static final long HALF = 0x1234;

    /** In HELLO's features. */
    private static final int SAYS_WHAT_IT_DIALLED = 8;

    private static final int MAGIC = 0x52494557;

    /** A frame that has arrived. */
    public record Arrived(FrameKind kind, int flags, int channel, int aux, long first, long second, byte[] body) {

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** Who it says it is. */
    public final PeerId is;
    /** Of the session that it has come to. */
    public long sessionNumber;

    private final Socket socket;
    /** Whether it has connected, and not been connected to. */
    private final boolean connecting;

    private final DataInputStream in;
    private final OutputStream out;

    private Stranger(Socket socket, PeerId is, boolean connecting) {
        this.is = is;
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

    /** A connection on which nothing was said. */
    public static Stranger connect(PeerAddress address) {
        return connect(address, somebody());
    }

    /** Another connection of this one. */
    public Stranger again(PeerAddress address) {
        return connect(address, is);
    }

    private static Stranger connect(PeerAddress address, PeerId is) {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(address.host(), address.port()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Stranger(socket, is, true);
    }

    /** The accepting side of a connection. */
    public static Stranger of(Socket accepted) {
        return new Stranger(accepted, somebody(), false);
    }

    /** The accepting side of another connection of this one. */
    public Stranger again(Socket accepted) {
        return new Stranger(accepted, is, false);
    }

    /** The connecting side of a connection, as one who says that it is this one. */
    public static Stranger of(Socket connected, PeerId is) {
        return new Stranger(connected, is, true);
    }

    private static PeerId somebody() {
        return new PeerId(UUID.randomUUID(), "stranger", 7);
    }

    /** A connection whose handshake has ended well: a session over tcp, in which we are the connecting side. */
    public static Stranger inSession(PeerAddress address) {
        return connect(address).begin();
    }

    /** Goes through the handshake as the connecting side: then there is a session over tcp. */
    public Stranger begin() {
        hello(1, 0);
        return beginAdmitted();
    }

    /** The same, as one who knows this secret. */
    public Stranger begin(String secret) {
        byte[] ours = helloWithSecret(new byte[32]);
        send(FrameKind.HELLO, 0, 0, 0, ours);
        byte[] theirs = await(FrameKind.HELLO).body;
        send(FrameKind.PROOF, 0, 0, 0, proof(secret, 'C', ours, theirs));
        Arrived unused = await(FrameKind.PROOF);
        return beginAdmitted();
    }

    private Stranger beginAdmitted() {
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
        hello(1, 0);
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

    /** Says HELLO for a session that there is, and which one, as who leads it. */
    public void rejoin(long number) {
        helloAgain();
        rejoinNow(number);
    }

    /** Says HELLO for a session that there is. */
    public void helloAgain() {
        send(FrameKind.HELLO, 0, 0, 0, hello(1, 0, 4, new byte[0]));
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

    public void hello(int major, int minor) {
        send(FrameKind.HELLO, 0, 0, 0, hello(major, minor, 0, new byte[0]));
    }

    /** The HELLO of one that shares a secret, with these random bytes. */
    public byte[] helloWithSecret(byte[] random) {
        return hello(1, 0, 3, random);
    }

    public byte[] hello(int major, int minor, long features, byte[] random) {
        Bytes body = new Bytes().int32(MAGIC).int8(major).int8(minor).int16(0).int64(features | SAYS_WHAT_IT_DIALLED);
        body.int64(is.id().getMostSignificantBits())
                .int64(is.id().getLeastSignificantBits())
                .int64(is.incarnation());
        body.text(is.name()).raw(random);
        if (!connecting) {
            return body.text("").text("").text("").bytes();
        }
        String dialled = "tcp://" + socket.getInetAddress().getHostAddress() + ':' + socket.getPort();
        return body.text(dialled).text(dialled).text(bootId()).bytes();
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** The proof of a secret, over a connection that is not encrypted. */
    public static byte[] proof(String secret, char role, byte[] helloOfConnecting, byte[] helloOfAccepting) {
        Bytes transcript = new Bytes().int8(role);
        transcript.int32(helloOfConnecting.length).raw(helloOfConnecting);
        transcript.int32(helloOfAccepting.length).raw(helloOfAccepting).int32(0);
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return mac.doFinal(transcript.bytes());
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Says who it is; its half of the session's number is {@link #HALF}. */
    public void card(Map<String, String> ready) {
        card(ready, 0);
    }

    /** The same, with so many tags of other connections, which are none. */
    public void card(Map<String, String> ready, int named) {
        Bytes body = new Bytes()
                .int64(HALF)
                .text("boot")
                .int64(1)
                .text("process")
                .text("host")
                .int64(1);
        body.int16(ready.size());
        ready.forEach((path, card) -> body.text(path).text(card));
        send(
                FrameKind.CARD,
                0,
                0,
                0,
                body.int16(0).int16(0).int8(named).raw(new byte[16 * named]).bytes());
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
    @org.jspecify.annotations.Nullable
    public Arrived read() {
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
            byte[] body = java.util.Arrays.copyOfRange(rest, control, FrameLayout.length(word0));
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
