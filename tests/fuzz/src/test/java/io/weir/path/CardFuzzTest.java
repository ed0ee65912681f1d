package io.weir.path;

import static io.weir.fuzz.Hostile.check;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.config.PathSwitch;
import io.weir.core.ForeignText;
import io.weir.core.PeerCard;
import io.weir.core.PeerId;
import io.weir.core.ProtocolMismatch;
import io.weir.fuzz.Hostile;
import io.weir.path.HandshakeCodec.Introduction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A CARD is refused, or its texts are fit for a log, its maps are small, and it says the same when it is written again.
 * The same bytes as the reason of a refusal are a text of one line.
 */
class CardFuzzTest {

    private static final PeerId ID = new PeerId(new UUID(1, 2), "somebody", 3);

    /** Beside what the texts take: the stack of an error, and the maps. */
    private static final long FREE = 256 << 10;

    static Stream<byte[]> seeds() {
        Map<String, String> ready = Map.of("tcp", "host 10.1.2.3", "shm", "key=\u00e9\u202e");
        PeerCard card = new PeerCard(ID, "boot", 1000, "process", "host", 77, ready, Map.of("rdma", "no\nlibrary"));
        PeerCard poor = new PeerCard(ID, "", -1, "", "", -1, Map.of(), Map.of());
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 256; i++) {
            many.put("path " + i, "");
        }
        PeerCard wide = new PeerCard(ID, "boot", 1000, "process", "host", 77, many, Map.of());
        byte[] full = bytes(card, Map.of("tcp", PathSwitch.ON, "shm", PathSwitch.REQUIRED, "rdma", PathSwitch.OFF));
        byte[] wrong = new String(full, ISO_8859_1)
                .replace("REQUIRED", "REQUIRE\u001b")
                .getBytes(ISO_8859_1);
        byte[] bare = bytes(poor, Map.of());
        return Stream.of(
                full,
                wrong,
                bare,
                Arrays.copyOf(bare, bare.length - 1),
                Arrays.copyOf(bare, bare.length - 3),
                bytes(wide, Map.of()),
                Arrays.copyOf(full, full.length + 33),
                Arrays.copyOf(full, full.length - 5),
                new byte[HandshakeCodec.MAX_CARD + 1]);
    }

    private static byte[] bytes(PeerCard card, Map<String, PathSwitch> switches) {
        return ByteBufUtil.getBytes(HandshakeCodec.card(5, card, switches));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void aCardIsRefusedOrFitForALog(byte[] input) throws Exception {
        String reason = HandshakeCodec.readReason(Unpooled.wrappedBuffer(input));
        check(reason.equals(ForeignText.harmless(reason)) && reason.length() <= 1024, reason);
        Introduction read;
        try {
            long most = FREE + 16L * Math.min(input.length, HandshakeCodec.MAX_CARD);
            read = Hostile.within(most, () -> HandshakeCodec.readCard(ID, Unpooled.wrappedBuffer(input)));
        } catch (ProtocolMismatch e) {
            checkText(e);
            return;
        }
        check(input.length <= HandshakeCodec.MAX_CARD, "it is longer than it may be");
        List<String> texts = texts(read);
        texts.forEach(each -> check(each.equals(ForeignText.harmless(each)), each));
        again(read, texts);
    }

    private static void checkText(ProtocolMismatch e) {
        // It names the switch that it does not know, which has 4096 bytes at most.
        String text = String.valueOf(e.getMessage());
        check(text.equals(ForeignText.harmless(text)) && text.length() <= 4096 + 200, e);
    }

    private static List<String> texts(Introduction read) {
        PeerCard card = read.card();
        List<String> texts = new ArrayList<>(List.of(card.bootId(), card.process(), card.host()));
        for (Collection<String> each : List.of(
                card.ready().keySet(),
                card.ready().values(),
                card.missing().keySet(),
                card.missing().values(),
                read.switches().keySet())) {
            check(each.size() <= 256, "a map of " + each.size());
            texts.addAll(each);
        }
        return texts;
    }

    private static void again(Introduction read, List<String> texts) {
        // Bytes that were no text have become longer, and may be too long now.
        if (texts.stream().anyMatch(each -> each.indexOf('\ufffd') >= 0)) {
            return;
        }
        byte[] bytes = ByteBufUtil.getBytes(HandshakeCodec.card(read.half(), read.card(), read.switches()));
        Introduction again = HandshakeCodec.readCard(ID, Unpooled.wrappedBuffer(bytes));
        check(again.card().equals(read.card()) && again.half() == read.half(), again);
        check(again.switches().equals(read.switches()), again);
        check(texts(again).stream().allMatch(each -> each.getBytes(UTF_8).length <= 4096), again);
    }
}
