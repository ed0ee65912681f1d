package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Protection;
import io.weir.core.TlsSpec;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bootstrap connection with TLS on both sides as the link. */
@Tag("one-jdk")
class TcpTlsTest implements TransportContract {

    @TempDir
    static Path folder;

    private static @Nullable TlsSpec tls;

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").with(tls());
    }

    @Test
    void bothSidesKnowEachOtherAndTheConnection() throws Exception {
        try (LinkPair pair = open()) {
            Protection first = pair.first.link.protection();
            assertThat(first.encrypted()).isTrue();
            assertThat(first.principal()).isEqualTo("CN=node");
            assertThat(first.binding()).matches("[0-9a-f]{64}");
            assertThat(pair.second.link.protection()).isEqualTo(first);
            assertThat(pair.first.link.takesRegions()).isFalse();
            assertThat(fixture().transport().isPrivate(fixture().settings(folder)))
                    .isTrue();
        }
    }

    @Test
    void aSocketOfTheHostIsPrivateWithoutTls() throws Exception {
        try (LinkPair pair = fixture().overUnixSocket().open()) {
            Protection kept = new Protection(true, null, "");
            assertThat(pair.first.link.protection()).isEqualTo(kept);
            assertThat(pair.second.link.protection()).isEqualTo(kept);
        }
        try (LinkPair pair = TransportFixture.of("tcp").open()) {
            assertThat(pair.first.link.protection()).isEqualTo(Protection.NONE);
        }
    }

    private static TlsSpec tls() {
        try {
            if (tls == null) {
                Authority authority = Authority.in(folder, "Test");
                tls = authority.tls(authority.issue("node", "127.0.0.1")).build();
            }
            return tls;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
