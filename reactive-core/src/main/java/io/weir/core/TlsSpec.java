package io.weir.core;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * How a node's TCP connections are protected: one immutable value, whose passwords are in no text that it makes of
 * itself. What it names is read when the node starts, and looked at again from time to time.
 *
 * @param enabled whether every TCP connection uses TLS ({@code weir.tls}); without it nothing else here counts
 * @param certificate the node's own certificate and those up to its authority, PEM ({@code weir.tls.certificate})
 * @param key the key of the certificate, PEM with PKCS#8 ({@code weir.tls.key})
 * @param keyPassword of an encrypted key ({@code weir.tls.key-password})
 * @param keyStore certificate and key in one file instead, PKCS#12 or JKS ({@code weir.tls.key-store})
 * @param keyStorePassword ({@code weir.tls.key-store-password})
 * @param trust certificates of those who may issue the peers' ones, PEM ({@code weir.tls.trust})
 * @param trustStore the same as PKCS#12 or JKS instead ({@code weir.tls.trust-store})
 * @param trustStorePassword ({@code weir.tls.trust-store-password})
 * @param revocationLists lists of certificates that their issuers have revoked, PEM: each certificate of a peer then
 *     needs a current list of its issuer that does not name it ({@code weir.tls.revocation-lists})
 * @param ocsp whether the issuer of each certificate of a peer is asked, at the address that the certificate names, if
 *     it has revoked it ({@code weir.tls.ocsp}); where it gives no answer, a list counts, if there is one
 * @param clientAuth whether who connects has to show a certificate ({@code weir.tls.client-auth})
 * @param verifyHost whether who connects compares the certificate with the name that it connects to
 *     ({@code weir.tls.verify-host})
 * @param protocols the versions that may be used ({@code weir.tls.protocols})
 * @param reload after this time files are looked at, and suppliers asked, again ({@code weir.tls.reload})
 * @param keys certificate and key from elsewhere instead of files; asked on a thread that may block; the same object as
 *     long as nothing has changed
 * @param trusted as {@code keys}, for who may issue the peers' certificates
 */
public record TlsSpec(
        boolean enabled,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String keyPassword,
        @Nullable Path keyStore,
        @Nullable String keyStorePassword,
        @Nullable Path trust,
        @Nullable Path trustStore,
        @Nullable String trustStorePassword,
        @Nullable Path revocationLists,
        boolean ocsp,
        ClientAuth clientAuth,
        boolean verifyHost,
        List<String> protocols,
        Duration reload,
        @Nullable Supplier<KeyManagerFactory> keys,
        @Nullable Supplier<TrustManagerFactory> trusted) {

    /** Mutual: in a cluster everybody is both, and who has no certificate has no business there. */
    public static final ClientAuth CLIENT_AUTH = ClientAuth.REQUIRED;

    /** Without it, any certificate of the cluster could stand for any other one. */
    public static final boolean VERIFY_HOST = true;

    /** It makes each connection depend on a server elsewhere. */
    public static final boolean OCSP = false;

    /** What is considered safe, the better one first. */
    public static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    /** Certificates are replaced days before they expire; reading a few small files once a minute costs nothing. */
    public static final Duration RELOAD = Duration.ofMinutes(1);

    /** Connections are not encrypted. */
    public static final TlsSpec OFF = new Builder().enabled(false).build();

    /** Whether who connects has to show a certificate. */
    public enum ClientAuth {
        /** It is not asked for one. */
        NONE,
        /** It is asked; one that it shows must be good. */
        OPTIONAL,
        /** Without one it does not get in. */
        REQUIRED
    }

    public TlsSpec {
        protocols = List.copyOf(protocols);
    }

    /** Starts from the defaults, enabled. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Enabled, with material that somebody else looks after; see {@link #keys()} and {@link #trusted()}.
     */
    public static TlsSpec of(Supplier<KeyManagerFactory> keys, Supplier<TrustManagerFactory> trusted) {
        return builder().keys(keys).trusted(trusted).build();
    }

    /** A builder that starts from these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Whether it names a certificate of our own, from wherever. */
    public boolean hasIdentity() {
        return certificate != null || key != null || keyStore != null || keys != null;
    }

    /** Whether it names whom to trust. */
    public boolean hasTrust() {
        return trust != null || trustStore != null || trusted != null;
    }

    /** Every value that differs from its default, but no password. */
    @Override
    public String toString() {
        StringJoiner text = new StringJoiner(", ", "TlsSpec[", "]");
        text.add(enabled ? "on" : "off");
        add(text, "certificate", certificate);
        add(text, "key", key);
        add(text, "key-password", hidden(keyPassword));
        add(text, "key-store", keyStore);
        add(text, "key-store-password", hidden(keyStorePassword));
        add(text, "trust", trust);
        add(text, "trust-store", trustStore);
        add(text, "trust-store-password", hidden(trustStorePassword));
        add(text, "revocation-lists", revocationLists);
        add(text, "ocsp", ocsp == OCSP ? null : "on");
        add(text, "client-auth", clientAuth == CLIENT_AUTH ? null : clientAuth);
        add(text, "verify-host", verifyHost == VERIFY_HOST ? null : "off");
        add(text, "protocols", protocols.equals(PROTOCOLS) ? null : protocols);
        add(text, "reload", reload.equals(RELOAD) ? null : reload);
        add(text, "keys", keys == null ? null : "supplied");
        add(text, "trusted", trusted == null ? null : "supplied");
        return text.toString();
    }

    private static void add(StringJoiner text, String name, @Nullable Object value) {
        if (value != null) {
            text.add(name + '=' + value);
        }
    }

    private static @Nullable String hidden(@Nullable String password) {
        return password == null ? null : "***";
    }

    /** Puts a spec together. Not thread-safe; says nothing about what makes sense, which the node does. */
    public static final class Builder {

        private boolean enabled = true;
        private @Nullable Path certificate;
        private @Nullable Path key;
        private @Nullable String keyPassword;
        private @Nullable Path keyStore;
        private @Nullable String keyStorePassword;
        private @Nullable Path trust;
        private @Nullable Path trustStore;
        private @Nullable String trustStorePassword;
        private @Nullable Path revocationLists;
        private boolean ocsp = OCSP;
        private ClientAuth clientAuth = CLIENT_AUTH;
        private boolean verifyHost = VERIFY_HOST;
        private List<String> protocols = PROTOCOLS;
        private Duration reload = RELOAD;
        private @Nullable Supplier<KeyManagerFactory> keys;
        private @Nullable Supplier<TrustManagerFactory> trusted;

        private Builder() {}

        private Builder(TlsSpec spec) {
            enabled = spec.enabled;
            certificate = spec.certificate;
            key = spec.key;
            keyPassword = spec.keyPassword;
            keyStore = spec.keyStore;
            keyStorePassword = spec.keyStorePassword;
            trust = spec.trust;
            trustStore = spec.trustStore;
            trustStorePassword = spec.trustStorePassword;
            revocationLists = spec.revocationLists;
            ocsp = spec.ocsp;
            clientAuth = spec.clientAuth;
            verifyHost = spec.verifyHost;
            protocols = spec.protocols;
            reload = spec.reload;
            keys = spec.keys;
            trusted = spec.trusted;
        }

        /** See {@link TlsSpec#enabled()}. */
        public Builder enabled(boolean enabled) {
            this.enabled = enabled;
            return this;
        }

        /** See {@link TlsSpec#certificate()}. */
        public Builder certificate(Path certificate) {
            this.certificate = certificate;
            return this;
        }

        /** See {@link TlsSpec#key()}. */
        public Builder key(Path key) {
            this.key = key;
            return this;
        }

        /** See {@link TlsSpec#keyPassword()}. */
        public Builder keyPassword(String keyPassword) {
            this.keyPassword = keyPassword;
            return this;
        }

        /** See {@link TlsSpec#keyStore()}. */
        public Builder keyStore(Path keyStore) {
            this.keyStore = keyStore;
            return this;
        }

        /** See {@link TlsSpec#keyStorePassword()}. */
        public Builder keyStorePassword(String keyStorePassword) {
            this.keyStorePassword = keyStorePassword;
            return this;
        }

        /** See {@link TlsSpec#trust()}. */
        public Builder trust(Path trust) {
            this.trust = trust;
            return this;
        }

        /** See {@link TlsSpec#trustStore()}. */
        public Builder trustStore(Path trustStore) {
            this.trustStore = trustStore;
            return this;
        }

        /** See {@link TlsSpec#trustStorePassword()}. */
        public Builder trustStorePassword(String trustStorePassword) {
            this.trustStorePassword = trustStorePassword;
            return this;
        }

        /** See {@link TlsSpec#revocationLists()}. */
        public Builder revocationLists(Path revocationLists) {
            this.revocationLists = revocationLists;
            return this;
        }

        /** See {@link TlsSpec#ocsp()}. */
        public Builder ocsp(boolean ocsp) {
            this.ocsp = ocsp;
            return this;
        }

        /** See {@link TlsSpec#clientAuth()}. */
        public Builder clientAuth(ClientAuth clientAuth) {
            this.clientAuth = clientAuth;
            return this;
        }

        /** See {@link TlsSpec#verifyHost()}. */
        public Builder verifyHost(boolean verifyHost) {
            this.verifyHost = verifyHost;
            return this;
        }

        /** See {@link TlsSpec#protocols()}. */
        public Builder protocols(List<String> protocols) {
            this.protocols = List.copyOf(protocols);
            return this;
        }

        /** See {@link TlsSpec#reload()}. */
        public Builder reload(Duration reload) {
            this.reload = reload;
            return this;
        }

        /** See {@link TlsSpec#keys()}. */
        public Builder keys(Supplier<KeyManagerFactory> keys) {
            this.keys = keys;
            return this;
        }

        /** See {@link TlsSpec#trusted()}. */
        public Builder trusted(Supplier<TrustManagerFactory> trusted) {
            this.trusted = trusted;
            return this;
        }

        /** The spec. */
        public TlsSpec build() {
            return new TlsSpec(
                    enabled,
                    certificate,
                    key,
                    keyPassword,
                    keyStore,
                    keyStorePassword,
                    trust,
                    trustStore,
                    trustStorePassword,
                    revocationLists,
                    ocsp,
                    clientAuth,
                    verifyHost,
                    protocols,
                    reload,
                    keys,
                    trusted);
        }
    }
}
