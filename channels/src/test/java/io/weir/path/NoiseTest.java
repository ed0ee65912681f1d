package io.weir.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.AuthenticationFailed;
import io.weir.core.ProtocolMismatch;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against published vectors, byte by byte. */
class NoiseTest {

    private static final String PRIVATE = "302e020100300506032b656e04220420";
    private static final byte[] BASE = new byte[Noise.KEY];

    static {
        BASE[0] = 9;
    }

    private final Properties vector = new Properties();

    NoiseTest() throws IOException {
        try (InputStream in = NoiseTest.class.getResourceAsStream("noise.properties")) {
            vector.load(in);
        }
    }

    private byte[] bytes(String name) {
        return HexFormat.of().parseHex(vector.getProperty(name));
    }

    /** The public key is what the private one makes of the base point. */
    private KeyPair pair(String name) throws GeneralSecurityException {
        KeyFactory keys = KeyFactory.getInstance("X25519");
        PrivateKey here = keys.generatePrivate(
                new PKCS8EncodedKeySpec(HexFormat.of().parseHex(PRIVATE + vector.getProperty(name))));
        return new KeyPair(NodeKey.publicKey(NodeKey.agree(here, BASE)), here);
    }

    private Noise side(boolean connecting) throws GeneralSecurityException {
        String side = connecting ? "init" : "resp";
        return new Noise(
                connecting, new NodeKey(pair(side + "_static")), pair(side + "_ephemeral"), bytes(side + "_prologue"));
    }

    private byte[] ephemeral(String side) throws GeneralSecurityException {
        return NodeKey.bytes(pair(side + "_ephemeral").getPublic());
    }

    private static byte[] behind(int length, byte[] message) {
        return Arrays.copyOfRange(message, length, message.length);
    }

    @Test
    void itIsWhatThePublishedVectorsAre() throws Exception {
        Noise connecting = side(true);
        Noise accepting = side(false);
        byte[] first = behind(Noise.KEY, bytes("ciphertext1"));
        assertThat(connecting.first(ephemeral("resp"), bytes("payload1"))).isEqualTo(first);
        assertThat(accepting.first(ephemeral("init"), bytes("payload1"))).isEqualTo(first);

        assertThat(bytes("ciphertext1")).startsWith(ephemeral("init"));
        assertThat(bytes("ciphertext2")).startsWith(ephemeral("resp"));
        byte[] second = behind(Noise.KEY, bytes("ciphertext2"));
        assertThat(accepting.second(bytes("payload2"))).isEqualTo(second);
        assertThat(connecting.readSecond(second)).isEqualTo(bytes("payload2"));
        assertThat(connecting.staticThere())
                .isEqualTo(NodeKey.bytes(pair("resp_static").getPublic()));

        byte[] third = bytes("ciphertext3");
        byte[] key = Arrays.copyOf(third, Noise.KEY + Noise.TAG);
        assertThat(connecting.third()).isEqualTo(key);
        connecting.shared(bytes("init_psk"));
        assertThat(connecting.seal(bytes("payload3"))).isEqualTo(behind(key.length, third));
        accepting.readThird(key);
        assertThat(accepting.staticThere())
                .isEqualTo(NodeKey.bytes(pair("init_static").getPublic()));
        accepting.shared(bytes("resp_psk"));
        assertThat(accepting.open(behind(key.length, third))).isEqualTo(bytes("payload3"));

        assertThat(connecting.hash()).isEqualTo(bytes("handshake_hash"));
        assertThat(accepting.hash()).isEqualTo(bytes("handshake_hash"));
        byte[][] keys = connecting.split();
        assertThat(accepting.split()).isDeepEqualTo(keys);
        assertThat(Noise.seal(keys[1], 0, bytes("payload4"))).isEqualTo(bytes("ciphertext4"));
        assertThat(Noise.opens(keys[0], 0, bytes("ciphertext5"))).isEqualTo(bytes("payload5"));
        assertThat(Noise.seal(keys[1], 1, bytes("payload6"))).isEqualTo(bytes("ciphertext6"));
    }

    @Test
    void aCopyGoesOnByItself() throws Exception {
        Noise connecting = side(true);
        Noise accepting = side(false);
        var unused = connecting.first(ephemeral("resp"), new byte[0]);
        unused = accepting.first(ephemeral("init"), new byte[0]);
        unused = connecting.readSecond(accepting.second(new byte[0]));
        accepting.readThird(connecting.third());
        connecting.shared(bytes("init_psk"));
        byte[] tag = connecting.seal(new byte[0]);
        Noise other = accepting.copy();
        other.shared(new byte[32]);
        assertThatThrownBy(() -> other.open(tag)).isInstanceOf(AuthenticationFailed.class);
        accepting.shared(bytes("resp_psk"));
        assertThat(accepting.open(tag)).isEmpty();
    }

    /** Points of small order, with which the outcome does not depend on our key. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000000",
                "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
            })
    void aKeyThatIsNone(String key) {
        NodeKey here = NodeKey.generate();
        byte[] there = HexFormat.of().parseHex(key);
        assertThatThrownBy(() -> here.agree(there)).isInstanceOf(ProtocolMismatch.class);
    }

    @Test
    void anIdIsMadeOfTheKey() {
        NodeKey key = NodeKey.generate();
        assertThat(key.id())
                .isEqualTo(NodeKey.idOf(key.publicKey()))
                .isNotEqualTo(NodeKey.generate().id());
        assertThat(key.id().version()).isEqualTo(8);
        assertThat(key.id().variant()).isEqualTo(2);
        assertThat(key).hasToString("NodeKey[" + key.id() + ']');
    }
}
