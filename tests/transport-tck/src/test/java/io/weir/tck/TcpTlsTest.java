package io.weir.tck;

import io.weir.core.TlsSpec;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** The bootstrap connection with TLS on both sides as the link. */
class TcpTlsTest implements TransportContract {

    @TempDir
    static Path folder;

    private static @Nullable TlsSpec tls;

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp").with(tls());
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
