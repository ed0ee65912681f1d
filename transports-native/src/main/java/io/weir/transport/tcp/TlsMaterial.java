package io.weir.transport.tcp;

import io.weir.core.Misconfigured;
import io.weir.core.Sha256;
import io.weir.core.TlsSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.PKIXRevocationChecker.Option;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link TlsSpec} names, read. Everything here may block.
 *
 * @param keys null if there is no certificate of our own
 * @param own our certificates, as far as they come from files
 * @param lists of certificates that were revoked
 */
record TlsMaterial(
        @Nullable KeyManagerFactory keys, TrustManagerFactory trusted, List<X509Certificate> own, List<X509CRL> lists) {

    /** Far more than certificates need, and room for a list of a hundred thousand that were revoked. */
    private static final int LONGEST = 4 << 20;

    private static final char[] NO_PASSWORD = new char[0];

    /** What there is to be read, so that a change is seen: equal as long as nothing has changed. */
    static List<Object> look(TlsSpec spec) {
        List<Object> seen = new ArrayList<>();
        Stream.of(
                        source("weir.tls.certificate", spec.certificate()),
                        source("weir.tls.key", spec.key()),
                        source("weir.tls.key-store", spec.keyStore()),
                        source("weir.tls.trust", spec.trust()),
                        source("weir.tls.trust-store", spec.trustStore()),
                        source("weir.tls.revocation-lists", spec.revocationLists()))
                .filter(Objects::nonNull)
                .forEach(file -> seen.add(file.digest()));
        if (spec.keys() != null) {
            seen.add(supplied("keys", spec.keys().get()));
        }
        if (spec.trusted() != null) {
            seen.add(supplied("trusted", spec.trusted().get()));
        }
        return seen;
    }

    private static <T> T supplied(String what, @Nullable T material) {
        if (material == null) {
            throw new Misconfigured("the supplier of TlsSpec." + what + " has yielded null");
        }
        return material;
    }

    /**
     * Reads everything, and checks what can be checked without a peer.
     *
     * @throws Misconfigured naming the setting and what is wrong
     */
    static TlsMaterial read(TlsSpec spec) {
        try {
            List<X509Certificate> own = new ArrayList<>();
            KeyManagerFactory keys = keys(spec, own);
            Source source = source("weir.tls.revocation-lists", spec.revocationLists());
            List<X509CRL> lists = source == null ? List.of() : source.read(Pem::revocationLists);
            return new TlsMaterial(keys, trusted(spec, lists), List.copyOf(own), lists);
        } catch (GeneralSecurityException e) {
            throw new Misconfigured("weir.tls can't be used as it is set: " + e.getMessage(), e);
        }
    }

    private static @Nullable KeyManagerFactory keys(TlsSpec spec, List<X509Certificate> own)
            throws GeneralSecurityException {
        if (spec.keys() != null) {
            return supplied("keys", spec.keys().get());
        }
        Source store = source("weir.tls.key-store", spec.keyStore());
        if (store != null) {
            return factory(store, store.open(spec.keyStorePassword()), storePassword(spec), own);
        }
        Source certificate = source("weir.tls.certificate", spec.certificate());
        Source key = source("weir.tls.key", spec.key());
        if (certificate == null || key == null) {
            return null;
        }
        List<X509Certificate> chain = certificate.read(Pem::certificates);
        PrivateKey ours = key.read(pem -> pem.key(spec.keyPassword()));
        KeyStore made = empty();
        made.setKeyEntry("own", ours, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
        return factory(certificate, made, NO_PASSWORD, own);
    }

    private static char[] storePassword(TlsSpec spec) {
        String password = spec.keyPassword() == null ? spec.keyStorePassword() : spec.keyPassword();
        return password == null ? NO_PASSWORD : password.toCharArray();
    }

    private static KeyManagerFactory factory(Source from, KeyStore store, char[] password, List<X509Certificate> own) {
        try {
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)
                        && store.getKey(alias, password) instanceof PrivateKey key
                        && store.getCertificate(alias) instanceof X509Certificate certificate) {
                    if (!belong(key, certificate.getPublicKey())) {
                        throw new InvalidKeyException("its certificate and the key do not belong together");
                    }
                    own.add(certificate);
                }
            }
            if (own.isEmpty()) {
                throw new InvalidKeyException("it holds no certificate with its key");
            }
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, password);
            return factory;
        } catch (GeneralSecurityException e) {
            throw from.refused(e);
        }
    }

    /** Both sides of a handshake would find out otherwise, with words that do not say it. */
    private static boolean belong(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        if (!key.getAlgorithm().equals(certified.getAlgorithm())) {
            return false;
        }
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            case "EdDSA" -> "EdDSA";
            default -> null;
        };
        if (algorithm == null) {
            return true;
        }
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(key);
        byte[] signature = signing.sign();
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(certified);
        return verifying.verify(signature);
    }

    private static TrustManagerFactory trusted(TlsSpec spec, List<X509CRL> lists) throws GeneralSecurityException {
        if (spec.trusted() != null) {
            return supplied("trusted", spec.trusted().get());
        }
        Source store = source("weir.tls.trust-store", spec.trustStore());
        Source certificates = source("weir.tls.trust", spec.trust());
        KeyStore anchors;
        if (store != null) {
            anchors = store.open(spec.trustStorePassword());
            if (Collections.list(anchors.aliases()).isEmpty()) {
                throw store.refused(new GeneralSecurityException("it holds no certificate"));
            }
        } else {
            anchors = empty();
            for (X509Certificate each :
                    Objects.requireNonNull(certificates, "whom to trust").read(Pem::certificates)) {
                anchors.setCertificateEntry("trusted-" + anchors.size(), each);
            }
        }
        if (lists.isEmpty() && !spec.ocsp()) {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(anchors);
            return factory;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(unrevoked(anchors, lists, spec.ocsp())));
        return factory;
    }

    /** Each certificate is looked up, but for those that are trusted themselves, and what is not found out is a no. */
    private static PKIXBuilderParameters unrevoked(KeyStore trusted, List<X509CRL> lists, boolean ocsp)
            throws GeneralSecurityException {
        PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors(trusted), new X509CertSelector());
        parameters.setRevocationEnabled(true);
        parameters.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(lists)));
        if (ocsp) {
            PKIXRevocationChecker checker =
                    (PKIXRevocationChecker) CertPathBuilder.getInstance("PKIX").getRevocationChecker();
            // Without an option the JDK asks the issuer, and looks into lists where that does not answer.
            checker.setOptions(lists.isEmpty() ? EnumSet.of(Option.NO_FALLBACK) : EnumSet.noneOf(Option.class));
            parameters.addCertPathChecker(checker);
        }
        // Without a checker of ours the JDK uses one that fetches no lists from where certificates say.
        return parameters;
    }

    /** Those whom the JDK trusts by a store where nothing is looked up. */
    private static Set<TrustAnchor> anchors(KeyStore trusted) throws GeneralSecurityException {
        Set<TrustAnchor> anchors = new HashSet<>();
        for (String alias : Collections.list(trusted.aliases())) {
            // Of a key, the first certificate of its chain.
            if (trusted.getCertificate(alias) instanceof X509Certificate certificate) {
                anchors.add(new TrustAnchor(certificate, null));
            }
        }
        return anchors;
    }

    private static KeyStore empty() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException("a key store in memory can't be made", e);
        }
        return store;
    }

    private static @Nullable Source source(String setting, @Nullable Path file) {
        return file == null ? null : new Source(setting, file);
    }

    private interface Reading<T> {
        T of(Pem pem) throws GeneralSecurityException;
    }

    /** A file, and the setting that names it. */
    private record Source(String setting, Path file) {

        String digest() {
            try {
                return HexFormat.of().formatHex(Sha256.hash(bytes()));
            } catch (IOException e) {
                throw refused(e);
            }
        }

        <T> T read(Reading<T> reading) {
            try {
                return reading.of(new Pem(new String(bytes(), StandardCharsets.ISO_8859_1)));
            } catch (IOException | GeneralSecurityException e) {
                throw refused(e);
            }
        }

        KeyStore open(@Nullable String password) {
            try {
                return KeyStore.getInstance(file.toFile(), password == null ? NO_PASSWORD : password.toCharArray());
            } catch (IOException | GeneralSecurityException e) {
                throw refused(e);
            }
        }

        private byte[] bytes() throws IOException {
            try (InputStream stream = Files.newInputStream(file)) {
                byte[] bytes = stream.readNBytes(LONGEST + 1);
                if (bytes.length > LONGEST) {
                    throw new IOException("it is longer than " + LONGEST + " bytes");
                }
                return bytes;
            }
        }

        Misconfigured refused(Exception e) {
            String reason = e instanceof NoSuchFileException ? "there is no such file" : e.getMessage();
            return new Misconfigured(setting + '=' + file + " can't be used: " + (reason == null ? e : reason), e);
        }
    }
}
