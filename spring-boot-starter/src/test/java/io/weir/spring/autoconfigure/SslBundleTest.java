package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import io.weir.spring.WeirPeers;
import io.weir.tck.Authority;
import io.weir.tck.Authority.Issued;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Connections that are protected by SSL bundles of Boot. */
class SslBundleTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private Authority ours;
    private Authority others;

    @BeforeEach
    void authorities() throws Exception {
        ours = Authority.in(Files.createDirectory(folder.resolve("ours")), "ours");
        others = Authority.in(Files.createDirectory(folder.resolve("others")), "others");
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    WeirCodecAutoConfiguration.class,
                    WeirAutoConfiguration.class))
            .withPropertyValues("weir.directory=off", "weir.transport.order=tcp");

    /** As the properties of a bundle of PEM files. */
    private static String[] bundle(String name, Authority trusted, Issued own) {
        String prefix = "spring.ssl.bundle.pem." + name + '.';
        return new String[] {
            prefix + "keystore.certificate=file:" + own.certificate(),
            prefix + "keystore.private-key=file:" + own.key(),
            prefix + "truststore.certificate=file:" + trusted.certificate()
        };
    }

    @Test
    void bothSidesUseTheirBundle() throws Exception {
        runner.withPropertyValues(bundle("mine", ours, ours.issue("far", "127.0.0.1")))
                .withPropertyValues("weir.ssl.bundle=mine")
                .run(far -> {
                    String address = far.getBean(Node.class).address().toString();
                    runner.withPropertyValues(bundle("mine", ours, ours.issue("near", "127.0.0.1")))
                            .withPropertyValues("weir.ssl.bundle=mine", "weir.peers.far.address=" + address)
                            .run(near -> {
                                Peer peer = connection(near.getBean(WeirPeers.class));
                                assertThat(peer.identity().principal()).contains("far");
                                assertThat(peer.binding()).isNotEmpty();
                            });
                });
    }

    @Test
    void aPeerHasABundleOfItsOwn() throws Exception {
        runner.withPropertyValues(bundle("theirs", others, others.issue("far", "127.0.0.1")))
                .withPropertyValues("weir.ssl.bundle=theirs")
                .run(far -> {
                    String address = far.getBean(Node.class).address().toString();
                    ApplicationContextRunner with = runner.withPropertyValues(
                                    bundle("ours", ours, ours.issue("near", "127.0.0.1")))
                            .withPropertyValues(bundle("theirs", others, others.issue("near", "127.0.0.1")))
                            .withPropertyValues("weir.peers.far.address=" + address);
                    with.withPropertyValues("weir.peers.far.ssl.bundle=theirs")
                            .run(near -> assertThat(connection(near.getBean(WeirPeers.class))
                                            .binding())
                                    .isNotEmpty());
                    with.withPropertyValues("weir.peers.far.ssl.bundle=ours")
                            .run(near -> assertThatThrownBy(() -> connection(near.getBean(WeirPeers.class)))
                                    .isInstanceOf(WeirException.class));
                    with.run(near -> assertThatThrownBy(() -> connection(near.getBean(WeirPeers.class)))
                            .isInstanceOf(WeirException.class));
                });
    }

    @Test
    void aBundleThatIsReloadedIsUsed() throws Exception {
        DefaultSslBundleRegistry bundles =
                new DefaultSslBundleRegistry("changing", pem(ours, ours.issue("far", "127.0.0.1")));
        runner.withBean(SslBundles.class, () -> bundles)
                .withPropertyValues("weir.ssl.bundle=changing", "weir.tls.reload=10ms")
                .run(far -> {
                    String address = far.getBean(Node.class).address().toString();
                    bundles.updateBundle("changing", pem(others, others.issue("far", "127.0.0.1")));
                    runner.withPropertyValues(bundle("theirs", others, others.issue("near", "127.0.0.1")))
                            .withPropertyValues(
                                    "weir.ssl.bundle=theirs",
                                    "weir.peers.far.address=" + address,
                                    "weir.peers.far.wait=30s")
                            .run(near -> assertThat(
                                            until(near.getBean(WeirPeers.class)).binding())
                                    .isNotEmpty());
                });
    }

    @Test
    void theVersionsThatABundleEnablesAreThoseThatAreUsed() throws Exception {
        runner.withPropertyValues(bundle("old", ours, ours.issue("far", "127.0.0.1")))
                .withPropertyValues("spring.ssl.bundle.pem.old.options.enabled-protocols=TLSv1.2")
                .withPropertyValues("weir.ssl.bundle=old")
                .run(far -> {
                    Node node = far.getBean(Node.class);
                    assertThat(node.spec().tls().protocols()).containsExactly("TLSv1.2");
                    ApplicationContextRunner with = runner.withPropertyValues(
                                    bundle("new", ours, ours.issue("near", "127.0.0.1")))
                            .withPropertyValues("weir.ssl.bundle=new", "weir.peers.far.address=" + node.address());
                    with.run(near -> assertThat(connection(near.getBean(WeirPeers.class))
                                    .identity()
                                    .principal())
                            .contains("far"));
                    with.withPropertyValues("spring.ssl.bundle.pem.new.options.enabled-protocols=TLSv1.3")
                            .run(near -> assertThatThrownBy(() -> connection(near.getBean(WeirPeers.class)))
                                    .isInstanceOf(WeirException.class)
                                    .hasMessageContaining("protocol"));
                });
    }

    @Test
    void aBundleThatNamesCiphersIsRefused() throws Exception {
        ApplicationContextRunner with = runner.withPropertyValues(
                        bundle("strict", ours, ours.issue("far", "127.0.0.1")))
                .withPropertyValues("spring.ssl.bundle.pem.strict.options.ciphers=TLS_AES_256_GCM_SHA384");
        with.withPropertyValues("weir.ssl.bundle=strict")
                .run(far -> assertThat(far)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(Misconfigured.class)
                        .hasMessageStartingWith("weir.ssl.bundle=strict can't be used: it names ciphers")
                        .hasMessageContaining("remove options.ciphers"));
        with.withPropertyValues("weir.peers.far.address=tcp://127.0.0.1:1", "weir.peers.far.ssl.bundle=strict")
                .run(far -> assertThat(far)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(Misconfigured.class)
                        .hasMessageStartingWith("weir.peers.far.ssl.bundle=strict can't be used"));
    }

    /** What was refused because of the former certificate is tried again. */
    private static Peer until(WeirPeers peers) throws InterruptedException {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            try {
                return connection(peers);
            } catch (WeirException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    private static SslBundle pem(Authority trusted, Issued own) {
        return SslBundle.of(new PemSslStoreBundle(
                PemSslStoreDetails.forCertificate("file:" + own.certificate()).withPrivateKey("file:" + own.key()),
                PemSslStoreDetails.forCertificate("file:" + trusted.certificate())));
    }

    private static Peer connection(WeirPeers peers) {
        return Objects.requireNonNull(peers.get("far").connection().block(LIMIT));
    }
}
