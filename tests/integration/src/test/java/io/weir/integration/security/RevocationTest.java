package io.weir.integration.security;

import static io.weir.integration.security.TlsTalk.echo;
import static io.weir.integration.security.TlsTalk.refusal;
import static io.weir.integration.security.TlsTalk.start;
import static io.weir.integration.security.TlsTalk.talks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.sun.net.httpserver.HttpServer;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Misconfigured;
import io.weir.core.TlsSpec;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.tck.Authority;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates that their issuer has revoked, by a list and by OCSP: they get nobody in, and others notice nothing. */
class RevocationTest implements OnRoute {

    private static final String HERE = "127.0.0.1";
    private static final X509Certificate[] NONE = {};

    @TempDir
    Path folder;

    private final AtomicReference<X509Certificate[]> revoked = new AtomicReference<>(NONE);
    private final AtomicInteger asked = new AtomicInteger();
    private Authority authority;
    private Authority.Issued good;
    private Authority.Issued stolen;
    private HttpServer responder;

    @BeforeEach
    void issue() throws Exception {
        responder = HttpServer.create(new InetSocketAddress(InetAddress.getByName(HERE), 0), 0);
        responder.createContext("/", exchange -> {
            // A short request is a part of the address.
            byte[] request = exchange.getRequestMethod().equals("GET")
                    ? Base64.getDecoder()
                            .decode(exchange.getRequestURI().getPath().substring(1))
                    : exchange.getRequestBody().readAllBytes();
            asked.incrementAndGet();
            try {
                byte[] answer = authority.answer(request, revoked.get());
                exchange.getResponseHeaders().set("Content-Type", "application/ocsp-response");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (GeneralSecurityException e) {
                throw new IOException(e);
            } finally {
                exchange.close();
            }
        });
        responder.start();
        authority = Authority.in(folder, "Ours");
        authority.answersAt("http://" + HERE + ':' + responder.getAddress().getPort() + '/');
        good = authority.issue("good", HERE);
        stolen = authority.issue("stolen", HERE);
    }

    @AfterEach
    void end() {
        responder.stop(0);
    }

    private static Instant tomorrow() {
        return Instant.now().plus(Duration.ofDays(1));
    }

    private TlsSpec.Builder tls(Authority.Issued issued) {
        return authority.tls(issued);
    }

    /** The thief is refused, while another peer has a session with this node and others still come. */
    private void refusesTheThief(Nodes nodes, Node far, String reason) {
        Peer friend = talks(start(nodes, "friend", tls(good)), far);
        Node thief = start(nodes, "thief", tls(stolen));
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            assertThat(refusal(thief, far)).hasMessageContaining("our certificate");
            log.await(Level.WARN, reason);
        }
        assertThat(echo(friend)).isEqualTo("hear me");
        talks(start(nodes, "another", tls(good)), far);
        assertThat(far.connected()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void whoConnectsWithACertificateOnTheListIsRefused(String protocol, Nodes nodes) throws Exception {
        Path list = authority.revocations(tomorrow(), stolen.is());
        Node far = start(nodes, "far", tls(good).revocationLists(list).protocols(List.of(protocol)));
        refusesTheThief(nodes, far, "its certificate was revoked by its issuer");
    }

    @Test
    void whoListensWithACertificateOnTheListIsRefused(Nodes nodes) throws Exception {
        Path list = authority.revocations(tomorrow(), stolen.is());
        Node near = start(nodes, "near", tls(good).revocationLists(list));
        Node thief = start(nodes, "thief", tls(stolen));
        assertThat(refusal(near, thief)).hasMessageContaining("its certificate was revoked by its issuer");
        talks(near, start(nodes, "honest", tls(good)));
    }

    @Test
    void withoutACurrentListOfTheIssuerNobodyIsLetIn(Nodes nodes) throws Exception {
        Authority foreign = Authority.in(Files.createDirectory(folder.resolve("foreign")), "Foreign");
        Node honest = start(nodes, "honest", tls(good));
        // The JDK bears with clocks that differ by up to a quarter of an hour.
        Path old = authority.revocations(Instant.now().minusSeconds(20 * 60));
        assertThat(refusal(start(nodes, "old", tls(good).revocationLists(old)), honest))
                .hasMessageContaining("whether its certificate was revoked can't be found out")
                .hasMessageContaining("weir.tls.revocation-lists");
        Path others = foreign.revocations(tomorrow());
        assertThat(refusal(start(nodes, "others", tls(good).revocationLists(others)), honest))
                .hasMessageContaining("whether its certificate was revoked can't be found out");
        // A list of the right name that somebody else has signed.
        Authority namesake = Authority.in(Files.createDirectory(folder.resolve("namesake")), "Ours");
        assertThat(refusal(start(nodes, "forged", tls(good).revocationLists(namesake.revocations(tomorrow()))), honest))
                .hasMessageContaining("whether its certificate was revoked can't be found out");
    }

    /** Else an old list would count, and handshakes would wait for servers elsewhere. */
    @Test
    void noListIsFetchedFromWhereACertificateSays(Nodes nodes) throws Exception {
        Path current = authority.revocations(tomorrow());
        AtomicInteger fetched = new AtomicInteger();
        responder.createContext("/list", exchange -> {
            fetched.incrementAndGet();
            byte[] list = Files.readAllBytes(current);
            exchange.sendResponseHeaders(200, list.length);
            exchange.getResponseBody().write(list);
            exchange.close();
        });
        authority.listsAt("http://" + HERE + ':' + responder.getAddress().getPort() + "/list");
        Node honest = start(nodes, "honest", tls(authority.issue("listed", HERE)));
        Path old = authority.revocations(Instant.now().minusSeconds(20 * 60));
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            Node careful = start(nodes, "careful", tls(good).revocationLists(old));
            log.await(Level.WARN, "The list of what CN=Ours has revoked was to be replaced on");
            assertThat(refusal(careful, honest))
                    .hasMessageContaining("whether its certificate was revoked can't be found out");
        }
        assertThat(fetched).hasValue(0);
    }

    @Test
    void aKeyStoreIsTrustedAsWithoutLists(Nodes nodes) throws Exception {
        char[] password = "sesame".toCharArray();
        Path store = folder.resolve("trust.p12");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("own", good.secret(), password, new Certificate[] {good.is()});
        try (OutputStream out = Files.newOutputStream(store)) {
            keys.store(out, password);
        }
        TlsSpec.Builder trusting = TlsSpec.builder()
                .certificate(good.certificate())
                .key(good.key())
                .trustStore(store)
                .trustStorePassword("sesame");
        Node honest = start(nodes, "honest", tls(good));
        talks(start(nodes, "before", trusting), honest);
        talks(start(nodes, "near", trusting.revocationLists(authority.revocations(tomorrow()))), honest);
    }

    @Test
    void aNewListCountsWithoutARestart(Nodes nodes) throws Exception {
        Path list = Files.copy(authority.revocations(tomorrow()), folder.resolve("list.pem"));
        Node far = start(nodes, "far", tls(good).revocationLists(list).reload(Duration.ofMillis(20)));
        Node thief = start(nodes, "thief", tls(stolen));
        Peer before = talks(thief, far);
        try (LogLines log = new LogLines("io.weir.transport.tcp.Tls")) {
            Files.writeString(list, "no list at all");
            log.await(Level.ERROR, "it holds no list of revoked certificates in PEM");
            Files.copy(authority.revocations(tomorrow(), stolen.is()), list, StandardCopyOption.REPLACE_EXISTING);
            log.await(Level.INFO, "Certificates have changed");
        }
        // What there is goes on; what is new is looked up.
        assertThat(echo(before)).isEqualTo("hear me");
        assertThat(refusal(start(nodes, "again", tls(stolen)), far)).hasMessageContaining("our certificate");
        talks(start(nodes, "friend", tls(good)), far);
    }

    @Test
    void aListThatCannotBeUsedIsNamedAtTheStart(Nodes nodes) throws Exception {
        Path list = Files.writeString(folder.resolve("list.pem"), "nothing");
        assertThatThrownBy(() -> start(nodes, "node", tls(good).revocationLists(list)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.tls.revocation-lists=" + list + " can't be used: it holds no list of");
        Path missing = folder.resolve("missing.pem");
        assertThatThrownBy(() -> start(nodes, "node", tls(good).revocationLists(missing)))
                .isInstanceOf(Misconfigured.class)
                .hasMessageContaining("weir.tls.revocation-lists=" + missing + " can't be used: there is no such file");
    }

    @Test
    void theIssuerIsAsked(Nodes nodes) {
        revoked.set(new X509Certificate[] {stolen.is()});
        Node far = start(nodes, "far", tls(good).ocsp(true));
        refusesTheThief(nodes, far, "its certificate was revoked by its issuer");
        assertThat(asked).hasValueGreaterThanOrEqualTo(2);
    }

    @Test
    void whereTheIssuerDoesNotAnswerNobodyIsLetInUnlessThereIsAList(Nodes nodes) throws Exception {
        responder.stop(0);
        Node honest = start(nodes, "honest", tls(good));
        assertThat(refusal(start(nodes, "asking", tls(good).ocsp(true)), honest))
                .hasMessageContaining("whether its certificate was revoked can't be found out")
                .hasMessageContaining("weir.tls.ocsp");
        Path list = authority.revocations(tomorrow(), stolen.is());
        Node careful = start(nodes, "careful", tls(good).ocsp(true).revocationLists(list));
        talks(careful, honest);
        assertThat(refusal(careful, start(nodes, "thief", tls(stolen))))
                .hasMessageContaining("its certificate was revoked by its issuer");
    }
}
