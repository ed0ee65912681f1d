package io.weir.transport.tcp;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** What a PEM file holds. Exceptions say what is wrong as a phrase about the file, and nothing of its content. */
final class Pem {

    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

    /** How PKCS#8 names the scheme whose real name is in its parameters. */
    private static final List<String> PBES2 = List.of("PBES2", "1.2.840.113549.1.5.13");

    private final String text;

    Pem(String text) {
        this.text = text;
    }

    private interface Reading<T> {
        T of(CertificateFactory factory, InputStream block) throws GeneralSecurityException;
    }

    /** All certificates, in their order; at least one. */
    List<X509Certificate> certificates() throws GeneralSecurityException {
        return all(
                "CERTIFICATE",
                (factory, block) -> (X509Certificate) factory.generateCertificate(block),
                "it holds no certificate in PEM (-----BEGIN CERTIFICATE-----)");
    }

    /** All lists of certificates that were revoked; at least one. */
    List<X509CRL> revocationLists() throws GeneralSecurityException {
        return all(
                "X509 CRL",
                (factory, block) -> (X509CRL) factory.generateCRL(block),
                "it holds no list of revoked certificates in PEM (-----BEGIN X509 CRL-----); `openssl crl -inform DER`"
                        + " makes one of others");
    }

    private <T> List<T> all(String label, Reading<T> reading, String none) throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<T> found = new ArrayList<>();
        for (byte[] block : blocks(label)) {
            found.add(reading.of(factory, new ByteArrayInputStream(block)));
        }
        if (found.isEmpty()) {
            throw new GeneralSecurityException(none);
        }
        return found;
    }

    /** The first key. */
    PrivateKey key(@Nullable String password) throws GeneralSecurityException {
        List<byte[]> plain = blocks("PRIVATE KEY");
        if (!plain.isEmpty()) {
            return decode(new PKCS8EncodedKeySpec(plain.get(0)));
        }
        List<byte[]> encrypted = blocks("ENCRYPTED PRIVATE KEY");
        if (!encrypted.isEmpty()) {
            if (password == null) {
                throw new InvalidKeyException("it is encrypted: set weir.tls.key-password");
            }
            return decode(decrypt(encrypted.get(0), password));
        }
        throw new InvalidKeyException("it holds no key as PKCS#8 (-----BEGIN PRIVATE KEY-----); `openssl pkcs8 -topk8`"
                + " makes one of others");
    }

    private List<byte[]> blocks(String label) throws GeneralSecurityException {
        List<byte[]> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            if (matcher.group(1).equals(label)) {
                try {
                    blocks.add(Base64.getMimeDecoder().decode(matcher.group(2)));
                } catch (IllegalArgumentException e) {
                    throw new GeneralSecurityException("it is damaged within " + label, e);
                }
            }
        }
        return blocks;
    }

    private static PKCS8EncodedKeySpec decrypt(byte[] block, String password) throws GeneralSecurityException {
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(block);
            String scheme =
                    PBES2.contains(info.getAlgName()) ? info.getAlgParameters().toString() : info.getAlgName();
            Key key = SecretKeyFactory.getInstance(scheme).generateSecret(new PBEKeySpec(password.toCharArray()));
            Cipher cipher = Cipher.getInstance(scheme);
            cipher.init(Cipher.DECRYPT_MODE, key, info.getAlgParameters());
            return info.getKeySpec(cipher);
        } catch (IOException | GeneralSecurityException e) {
            throw new InvalidKeyException("it can't be decrypted: look at weir.tls.key-password", e);
        }
    }

    private static PrivateKey decode(PKCS8EncodedKeySpec bytes) throws GeneralSecurityException {
        for (String algorithm : List.of("RSA", "EC", "EdDSA", "RSASSA-PSS")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(bytes);
            } catch (InvalidKeySpecException e) {
                // A key of another kind.
            }
        }
        throw new InvalidKeyException("it holds no key for RSA, EC or EdDSA");
    }
}
