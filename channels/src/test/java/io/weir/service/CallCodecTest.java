package io.weir.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.ProtocolMismatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallCodecTest {

    record Order(String item, List<Order> parts) implements Serializable {}

    /** What an attacker finds on the class path: to read it is to run it. */
    static final class Gadget implements Serializable {

        private static final long serialVersionUID = 1L;

        private static boolean sprung;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            sprung = true;
        }
    }

    private static final CallCodec SERIALIZED = CallCodecs.serialized(
            ObjectInputFilter.Config.createFilter(Order.class.getName() + ";java.util.ArrayList;java.util.CollSer"
                    + ";java.util.ImmutableCollections$*;java.lang.Number;java.lang.Integer;java.lang.Object"));

    private static Object across(CallCodec codec, Class<?> type, Object value) {
        ByteBuf wire = Unpooled.buffer();
        codec.values(type).write(value, wire);
        return codec.values(type).read(wire);
    }

    @Test
    void valuesCross() {
        Order order = new Order("chest", new ArrayList<>(List.of(new Order("drawer", List.of()))));
        for (CallCodec codec : List.of(CallCodecs.cbor(), SERIALIZED)) {
            assertThat(across(codec, Order.class, order)).isEqualTo(order);
            assertThat(across(codec, int.class, 42)).isEqualTo(42);
        }
    }

    @Test
    void directMemoryIsReadAsWell() {
        ByteBuf wire = Unpooled.directBuffer();
        CallCodec.Values orders = CallCodecs.cbor().values(Order.class);
        orders.write(new Order("chest", List.of()), wire);

        assertThat(orders.read(wire)).isEqualTo(new Order("chest", List.of()));
        wire.release();
    }

    @Test
    void aClassThatIsNotAllowedIsNotMade() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new Gadget());
        }

        assertThatThrownBy(() -> SERIALIZED.values(Order.class).read(Unpooled.wrappedBuffer(bytes.toByteArray())))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("REJECTED");
        assertThat(Gadget.sprung).isFalse();
    }

    @Test
    void whatIsNestedTooDeeplyIsRefused() {
        Order deep = new Order("core", List.of());
        for (int i = 0; i < 100; i++) {
            deep = new Order("shell", new ArrayList<>(List.of(deep)));
        }
        ByteBuf wire = Unpooled.buffer();
        SERIALIZED.values(Order.class).write(deep, wire);

        assertThatThrownBy(() -> SERIALIZED.values(Order.class).read(wire)).isInstanceOf(ProtocolMismatch.class);
    }

    @Test
    void whatContainsItselfCanNotBeWritten() {
        Map<String, Object> self = new HashMap<>();
        self.put("self", self);

        assertThatThrownBy(() -> CallCodecs.cbor().values(Map.class).write(self, Unpooled.buffer()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("depth");
    }

    @Test
    void noiseIsNoValue() {
        byte[] noise = {(byte) 0x9f, 1, 2, (byte) 0xff, 7};
        for (CallCodec codec : List.of(CallCodecs.cbor(), SERIALIZED)) {
            assertThatThrownBy(() -> codec.values(Order.class).read(Unpooled.wrappedBuffer(noise)))
                    .isInstanceOf(ProtocolMismatch.class);
            assertThatThrownBy(() -> codec.values(Order.class).read(Unpooled.EMPTY_BUFFER))
                    .isInstanceOf(ProtocolMismatch.class);
        }
    }
}
