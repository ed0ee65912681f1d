package io.weir.transport.p4sock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import io.weir.core.ProtocolMismatch;
import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Nonce;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What both sides tell each other before a frame is sent, and what a side is told by its settings. */
class P4AgreedTest {

    private static final P4Offer OFFER =
            new P4Offer(Mac.parse("02:00:00:00:00:01"), 0x1234, 1480, 2048, new Nonce(new byte[Nonce.BYTES]));

    private static P4Card card(boolean named, String... ports) {
        return new P4Card(
                ByteOrder.nativeOrder(),
                named,
                List.of(ports).stream().map(P4Card.Port::parse).toList());
    }

    @Test
    void anOfferIsReadAsItWasWritten() {
        P4Offer read = P4Offer.decode(OFFER.encode(), true);
        assertThat(read.mac()).isEqualTo(OFFER.mac());
        assertThat(read.name()).isEqualTo(OFFER.name());
        assertThat(read.payload()).isEqualTo(OFFER.payload());
        assertThat(read.window()).isEqualTo(OFFER.window());
        assertThat(read.nonce().matches(OFFER.nonce().bytes())).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "0, beginning",
        "4, version",
        "8, address",
        "14, padding",
        "24, payload",
        "28, window",
    })
    void anOfferThatCanNotBeUsedIsRefused(int at, String field) {
        byte[] wrong = OFFER.encode();
        ByteBuffer bytes = ByteBuffer.wrap(wrong).order(ByteOrder.LITTLE_ENDIAN);
        if (at == 8) {
            bytes.put(at, (byte) 1);
        } else {
            // Too few bytes of payload, too small a window, and otherwise something else.
            int value = at == 24 ? 20 : at == 28 ? 3 : bytes.getShort(at) ^ 0x4000;
            bytes.putShort(at, (short) value);
        }
        assertThatThrownBy(() -> P4Offer.decode(wrong, true))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("p4sock")
                .hasMessageContaining(field);
    }

    @Test
    void onlyWhoAcceptsHasAName() {
        assertThatThrownBy(() -> P4Offer.decode(OFFER.encode(), false))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("name");
        assertThatThrownBy(() -> P4Offer.decode(new byte[47], true)).hasMessageContaining("length");
    }

    @Test
    void aCardIsReadAsItWasWritten() {
        P4Card card = card(true, "02:00:00:00:00:01,1500,10.0.0.1/24,192.168.1.7/16", "02:00:00:00:00:02,9000");
        assertThat(P4Card.decode(card.encode())).isEqualTo(card);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "2 little any",
                "1 little any|",
                "1 little any|02:00:00:00:00:01",
                "1 little any|02:00:00:00:00:01,x",
                "1 little any|01:00:00:00:00:01,1500",
                "1 little any|02:00:00:00:00,1500",
                "1 little any|02:00:00:00:00:01,1500,10.0.0.1",
                "1 little any|02:00:00:00:00:01,1500,10.0.0.256/24",
                "1 little any|02:00:00:00:00:01,1500,10.0.0.1/33",
                "1 little any|02:00:00:00:00:01,1500,1.1.1.1/8,1.1.1.2/8,1.1.1.3/8,1.1.1.4/8,1.1.1.5/8"
            })
    void aCardThatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> P4Card.decode(text)).isInstanceOf(ProtocolMismatch.class);
    }

    @Test
    void bothSidesFindTheSamePair() {
        P4Card near = card(false, "02:00:00:00:00:01,1500,172.17.0.1/16", "02:00:00:00:00:02,9000,10.0.0.1/24");
        P4Card far = card(false, "02:00:00:00:01:01,1500,172.17.0.1/16", "02:00:00:00:01:02,9000,10.0.0.2/24");
        P4Card.Pair pair = P4Card.pair(near, far);
        assertThat(pair).isNotNull();
        assertThat(pair.connecting()).isEqualTo(near.ports().get(1));
        assertThat(pair.accepting()).isEqualTo(far.ports().get(1));
        assertThat(near.separates(far)).isNull();
        assertThat(far.separates(near)).isNull();
    }

    @Test
    void tellsWhyThereIsNoPair() {
        P4Card near = card(false, "02:00:00:00:00:01,1500,10.0.0.1/24");
        assertThat(near.separates(near)).contains("same interface of the same host");
        assertThat(near.separates(card(false, "02:00:00:00:00:02,1500,10.0.1.2/24")))
                .contains("10.0.0.1/24")
                .contains("10.0.1.2/24")
                .contains("weir.transport.p4sock.interface");
        assertThat(near.separates(card(false, "02:00:00:00:00:02,1500,10.0.0.2/16")))
                .contains("no interface on a subnet");
        ByteOrder other =
                ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        assertThat(near.separates(new P4Card(other, false, near.ports()))).contains("-endian");
    }

    @Test
    void interfacesThatAreNamedOnBothSidesNeedNoAddress() {
        P4Card near = card(true, "02:00:00:00:00:01,1500");
        P4Card far = card(true, "02:00:00:00:00:02,1500");
        assertThat(near.separates(far)).isNull();
        assertThat(near.separates(card(false, "02:00:00:00:00:02,1500"))).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "interface, a name that is far too long, interface=",
        "interface, ../eth0, not the name of a network interface",
        "ring-size, 1k, out of range",
        "ring-size, many, not a size",
        "window, 1g, out of range",
        "timeout, 1h, out of range",
        "timeout, 1ms, out of range",
    })
    void wrongOptionsAreNamed(String option, String value, String words) {
        TransportSettings settings = new TransportSettings(Path.of("unused"), true, Map.of(option, value));
        assertThatThrownBy(() -> P4Options.of(settings))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining(words)
                .hasMessageContaining(option);
    }

    @Test
    void theWindowFitsTheRing() {
        P4Options options = P4Options.of(new TransportSettings(Path.of("unused"), true, Map.of()));
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(2));
        for (int mtu : new int[] {200, 1500, 9000, 65_000, 65_535}) {
            EtherInterface on = new EtherInterface("eth0", 1, OFFER.mac(), mtu, List.of());
            PacketRing.Layout layout = PacketRing.Layout.of(on.frameBytes(), options.ringBytes());
            assertThat(layout.bytes()).as("MTU %d", mtu).isBetween(4 << 20, 8 << 20);
            assertThat(layout.slotBytes()).isGreaterThanOrEqualTo(on.frameBytes() + PacketRing.BEFORE_FRAME);
            assertThat(options.window(on)).isBetween(P4Options.LEAST_FRAGMENTS, layout.slots());
        }
    }
}
