package io.weir.samples.manual;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.ErrorCode;
import io.weir.core.FrameKind;
import io.weir.core.Transport;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of the wire has the numbers that are in force, all of them, and a node says what the example there says. */
@Tag("one-jdk")
class WireDocsTest {

    private static final Path PAGE = Path.of("../docs/wire.md");
    private static final Pattern NUMBER_FIRST =
            Pattern.compile("(?m)^\\| (\\d+) \\| `([A-Z_]+)` \\|(?: (\\d) \\|)?.*\\|$");
    private static final Pattern NAME_FIRST = Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| (\\d+) \\|.*\\|$");
    private static final Pattern LINE = Pattern.compile("(C|c|A|a|a\\+) +((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?");
    private static final HexFormat HEX = HexFormat.ofDelimiter(" ");

    /** What stands under this heading, up to the next one. */
    private static String section(String heading) throws IOException {
        String page = '\n' + Files.readString(PAGE);
        String rest = page.substring(page.indexOf('\n' + heading + '\n') + heading.length() + 2);
        int end = rest.indexOf("\n#");
        return end < 0 ? rest : rest.substring(0, end);
    }

    private static Stream<MatchResult> rows(Pattern form, String heading) throws IOException {
        return form.matcher(section(heading)).results();
    }

    @Test
    void everyKindIsListed() throws IOException {
        Set<String> kinds = Arrays.stream(FrameKind.values())
                .map(kind -> kind.code() + " " + kind + ", words: " + kind.words())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(rows(NUMBER_FIRST, "### Kinds")
                        .map(row -> row.group(1) + ' ' + row.group(2) + ", words: " + row.group(3)))
                .containsExactlyInAnyOrderElementsOf(kinds);
    }

    @Test
    void everyFlagIsListed() throws Exception {
        List<String> flags = new ArrayList<>();
        for (Field each : Class.forName("io.weir.path.Flags").getDeclaredFields()) {
            each.setAccessible(true);
            flags.add(each.getName() + ' ' + each.getInt(null));
        }
        assertThat(flags).hasSizeGreaterThan(10);
        assertThat(rows(NAME_FIRST, "### Flags").map(row -> row.group(1) + ' ' + row.group(2)))
                .containsExactlyInAnyOrderElementsOf(flags);
    }

    @Test
    void everyErrorIsListed() throws IOException {
        List<String> codes = Arrays.stream(ErrorCode.values())
                .map(error -> error.code() + " " + error)
                .toList();
        assertThat(rows(NUMBER_FIRST, "### Error codes").map(row -> row.group(1) + ' ' + row.group(2)))
                .containsExactlyInAnyOrderElementsOf(codes);
    }

    /** A line of the example: whose bytes they are, and how far they are determined. */
    private record Line(String mark, String hex) {

        static Line of(String text) {
            var match = LINE.matcher(text);
            assertThat(match.matches()).as("a line of the example: " + text).isTrue();
            return new Line(match.group(1), match.group(2));
        }

        byte[] bytes() {
            return HEX.parseHex(hex);
        }
    }

    /** Frame by frame. */
    private static List<List<Line>> example() throws IOException {
        String block = section("## An example").split("```\n")[1];
        return Arrays.stream(block.split("\n\n"))
                .map(frame -> frame.lines().map(Line::of).toList())
                .toList();
    }

    @Test
    void theExampleIsTrue() throws Exception {
        Map<String, String> onlyTcp = new HashMap<>();
        ServiceLoader.load(Transport.class).forEach(path -> onlyTcp.put("weir.transport." + path.name(), "off"));
        onlyTcp.remove("weir.transport.tcp");
        Node server = Node.start(
                        NodeSpec.builder().name("server").properties(onlyTcp).build())
                .blockOptional(Nodes.LIMIT)
                .orElseThrow();
        server.serve("echo", channel -> channel.send(channel.receive()));
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.address().port())) {
            socket.setSoTimeout((int) Nodes.LIMIT.toMillis());
            play(example(), socket);
        } finally {
            server.close().block(Nodes.LIMIT);
        }
    }

    private static void play(List<List<Line>> frames, Socket socket) throws Exception {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        // What was recorded has to be right by itself as well.
        Exchanged recording = new Exchanged();
        Exchanged exchanged = new Exchanged();
        byte[] nonce = {};
        int compared = 0;
        for (List<Line> frame : frames) {
            byte[] recordedBytes = joined(frame.stream().map(Line::bytes));
            boolean proof = recordedBytes[4] == FrameKind.PROOF.code();
            if (frame.get(0).mark.equals("C")) {
                recording.said(recordedBytes);
                byte[] said = proof ? exchanged.proof(recordedBytes) : said(frame, nonce);
                assertThat(proof ? recording.proof(recordedBytes) : recordedBytes)
                        .as("what was recorded")
                        .isEqualTo(recordedBytes);
                exchanged.said(said);
                socket.getOutputStream().write(said);
            } else {
                byte[] came = frame(in);
                compared += compare(frame, came);
                recording.heard(recordedBytes);
                exchanged.heard(came);
                if (came[4] == FrameKind.CARD.code()) {
                    Card recorded = Card.of(recordedBytes);
                    Card card = Card.of(came);
                    assertThat(card.ready()).isEqualTo(recorded.ready());
                    assertThat(card.switches()).isEqualTo(recorded.switches());
                    assertThat(card.pid()).isEqualTo(ProcessHandle.current().pid());
                } else if (came[4] == FrameKind.OFFER.code()) {
                    nonce = Arrays.copyOfRange(came, 16, 24);
                }
            }
        }
        assertThat(compared).isGreaterThan(200);
        assertThat(in.read()).as("the node closes behind GOODBYE").isEqualTo(-1);
    }

    /** The exchange as it stands, of the recording or of this run. */
    private static final class Exchanged {

        private final WireExchange exchange = new WireExchange(ascending(0x00), ascending(0x20));
        private byte[] ours = {};
        private byte[] theirs = {};
        private byte[] answer = {};

        private static byte[] ascending(int first) {
            byte[] key = new byte[32];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (first + i);
            }
            return key;
        }

        void said(byte[] frame) throws GeneralSecurityException {
            if (frame[4] == FrameKind.HELLO.code()) {
                ours = body(frame);
                assertThat(Arrays.copyOfRange(ours, 16, 32))
                        .isEqualTo(WireExchange.id(WireExchange.publicKey(ascending(0x00))));
                assertThat(key(ours)).isEqualTo(WireExchange.publicKey(ascending(0x20)));
            }
        }

        void heard(byte[] frame) throws GeneralSecurityException {
            if (frame[4] == FrameKind.HELLO.code()) {
                theirs = body(frame);
                exchange.begin(ours, theirs, key(theirs));
            } else if (frame[4] == FrameKind.PROOF.code() && answer.length == 0) {
                answer = exchange.answer(body(frame), Arrays.copyOfRange(theirs, 16, 32));
            } else if (frame[4] == FrameKind.PROOF.code()) {
                assertThat(exchange.opened(body(frame))).containsExactly(0);
            }
        }

        /** The frame with what was made instead of its body. */
        byte[] proof(byte[] frame) {
            return joined(Stream.of(Arrays.copyOf(frame, 16), answer));
        }

        private static byte[] body(byte[] frame) {
            int length = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt();
            return Arrays.copyOfRange(frame, 16, 16 + length);
        }

        /** Behind the name. */
        private static byte[] key(byte[] hello) {
            int at = 42
                    + Short.toUnsignedInt(ByteBuffer.wrap(hello)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getShort(40));
            return Arrays.copyOfRange(hello, at, at + 32);
        }
    }

    /** What the connecting side says: with the nonce of this run in place of the recorded one. */
    private static byte[] said(List<Line> frame, byte[] nonce) {
        return joined(frame.stream().map(line -> line.mark.equals("c") ? nonce : line.bytes()));
    }

    private static byte[] joined(Stream<byte[]> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    /** The next frame, by the table of the page. */
    private static byte[] frame(DataInputStream in) throws IOException {
        byte[] header = in.readNBytes(16);
        assertThat(header).as("the header of a frame").hasSize(16);
        int length = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt();
        int words = FrameKind.of(header[4]).words();
        byte[] rest = in.readNBytes(8 * words + (length + 7) / 8 * 8);
        return joined(Stream.of(header, rest));
    }

    /** Returns how many bytes were determined. */
    private static int compare(List<Line> expected, byte[] came) {
        int at = 0;
        int determined = 0;
        for (Line line : expected) {
            if (line.mark.equals("a+")) {
                return determined;
            }
            byte[] there = Arrays.copyOfRange(came, at, at + line.bytes().length);
            if (line.mark.equals("A")) {
                assertThat(HEX.formatHex(there))
                        .as("from byte " + at + " of " + FrameKind.of(came[4]))
                        .isEqualTo(line.hex);
                determined += there.length;
            }
            at += there.length;
        }
        assertThat(came).as("the whole of " + FrameKind.of(came[4])).hasSize(at);
        return determined;
    }

    /** The fields of the page, in its order. */
    private record Card(
            long half,
            String bootId,
            long uid,
            String process,
            String host,
            long pid,
            Map<String, String> ready,
            Map<String, String> missing,
            Map<String, String> switches) {

        static Card of(byte[] frame) {
            ByteBuffer from = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
            int end = 16 + from.getInt();
            from.position(16);
            Card card = new Card(
                    from.getLong(),
                    text(from),
                    from.getLong(),
                    text(from),
                    text(from),
                    from.getLong(),
                    map(from),
                    map(from),
                    map(from));
            assertThat(from.position()).as("the end of a CARD").isEqualTo(end);
            return card;
        }
    }

    private static String text(ByteBuffer from) {
        byte[] bytes = new byte[Short.toUnsignedInt(from.getShort())];
        from.get(bytes);
        return new String(bytes, UTF_8);
    }

    private static Map<String, String> map(ByteBuffer from) {
        Map<String, String> map = new HashMap<>();
        for (int left = Short.toUnsignedInt(from.getShort()); left > 0; left--) {
            map.put(text(from), text(from));
        }
        return map;
    }
}
