package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {

    private static final byte[] PBES2 = HexFormat.of().parseHex("06092a864886f70d01050d");

    private static PrivateKey newKey(String algorithm) throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
    }

    private static Pem pem(String label, byte[] content) {
        return new Pem("Bag Attributes\n-----BEGIN " + label + "-----\r\n"
                + Base64.getMimeEncoder().encodeToString(content) + "\r\n-----END " + label + "-----\n");
    }

    private static byte[] encrypted(PrivateKey key, String scheme, String password) throws Exception {
        Key wrapping = SecretKeyFactory.getInstance(scheme).generateSecret(new PBEKeySpec(password.toCharArray()));
        Cipher cipher = Cipher.getInstance(scheme);
        cipher.init(Cipher.ENCRYPT_MODE, wrapping);
        byte[] secret = cipher.doFinal(key.getEncoded());
        if (!scheme.contains("Hmac")) {
            return new EncryptedPrivateKeyInfo(cipher.getParameters(), secret).getEncoded();
        }
        // This JDK reads what openssl writes, and can't write it.
        byte[] parameters = cipher.getParameters().getEncoded();
        byte[] algorithm = der(0x30, PBES2, parameters);
        return der(0x30, algorithm, der(0x04, secret));
    }

    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(tag);
        if (content.size() >= 0x80) {
            whole.write(0x81);
        }
        whole.write(content.size());
        whole.writeBytes(content.toByteArray());
        return whole.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void readsKeysOfEachKind(String algorithm) throws Exception {
        PrivateKey key = newKey(algorithm);
        assertThat(pem("PRIVATE KEY", key.getEncoded()).key(null).getEncoded()).isEqualTo(key.getEncoded());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PBEWithHmacSHA256AndAES_256", "PBEWithSHA1AndDESede"})
    void readsEncryptedKeys(String scheme) throws Exception {
        PrivateKey key = newKey("EC");
        Pem pem = pem("ENCRYPTED PRIVATE KEY", encrypted(key, scheme, "sesame"));
        assertThat(pem.key("sesame").getEncoded()).isEqualTo(key.getEncoded());
        assertThatThrownBy(() -> pem.key("mustard"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessage("it can't be decrypted: look at weir.tls.key-password");
        assertThatThrownBy(() -> pem.key(null)).hasMessage("it is encrypted: set weir.tls.key-password");
    }

    @Test
    void saysWhatIsMissing() throws Exception {
        Pem old = pem("RSA PRIVATE KEY", newKey("RSA").getEncoded());
        assertThatThrownBy(() -> old.key(null)).hasMessageContaining("openssl pkcs8 -topk8");
        assertThatThrownBy(old::certificates).hasMessageContaining("it holds no certificate in PEM");
        assertThatThrownBy(() -> pem("PRIVATE KEY", new byte[40]).key(null))
                .hasMessage("it holds no key for RSA, EC or EdDSA");
        assertThatThrownBy(() -> pem("CERTIFICATE", new byte[40]).certificates())
                .isInstanceOf(GeneralSecurityException.class);
        assertThatThrownBy(() -> new Pem("-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----").key(null))
                .hasMessage("it is damaged within PRIVATE KEY");
    }
}
