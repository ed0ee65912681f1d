package io.weir.benchmark.contender;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.weir.core.TlsSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * One certificate for both sides of everybody who is measured with TLS, and the same protocol for all: so what differs
 * is what they do.
 */
record TlsMaterial(Path store) {

    private static final String PASSWORD = "benchmark";
    private static final List<String> PROTOCOLS = List.of("TLSv1.3");

    /** In this folder, which both processes share; made by the server, who begins. */
    static TlsMaterial in(Path folder) {
        Path store = folder.resolve("tls.p12");
        if (Files.notExists(store)) {
            make(store);
        }
        return new TlsMaterial(store);
    }

    private static void make(Path store) {
        try {
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=benchmark",
                            "-ext",
                            "san=ip:" + Loops.HOST,
                            "-validity",
                            "2",
                            "-storetype",
                            "PKCS12",
                            "-storepass",
                            PASSWORD,
                            "-keystore",
                            store.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (keytool.waitFor() != 0) {
                throw new IllegalStateException("keytool has failed: " + said);
            }
        } catch (IOException e) {
            throw new IllegalStateException("keytool can't be started: " + e, e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while keytool ran", e);
        }
    }

    /** For nodes. */
    TlsSpec spec() {
        return TlsSpec.builder()
                .keyStore(store)
                .keyStorePassword(PASSWORD)
                .trustStore(store)
                .trustStorePassword(PASSWORD)
                .protocols(PROTOCOLS)
                .build();
    }

    /** For a server of Reactor Netty. */
    SslContext server() throws GeneralSecurityException, IOException {
        return alike(SslContextBuilder.forServer(keys()))
                .clientAuth(ClientAuth.REQUIRE)
                .build();
    }

    /** For a client of Reactor Netty. */
    SslContext client() throws GeneralSecurityException, IOException {
        return alike(SslContextBuilder.forClient()).keyManager(keys()).build();
    }

    private SslContextBuilder alike(SslContextBuilder builder) throws GeneralSecurityException, IOException {
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(opened());
        return builder.sslProvider(SslProvider.JDK).trustManager(trusted).protocols(PROTOCOLS);
    }

    private KeyManagerFactory keys() throws GeneralSecurityException, IOException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(opened(), PASSWORD.toCharArray());
        return keys;
    }

    private KeyStore opened() throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }
}
