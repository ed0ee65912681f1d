package io.weir.tck;

import io.weir.core.TlsSpec;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A second connection to an address for data, both with TLS 1.2, which knows no end of one direction alone. */
@Tag("whole")
class TcpTlsDataAddressTest implements TransportContract {

    @TempDir
    static Path folder;

    private static @Nullable TlsSpec tls;

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp")
                .with("data-address", "tcp://127.0.0.1:0")
                .with(tls());
    }

    private static TlsSpec tls() {
        try {
            if (tls == null) {
                Authority authority = Authority.in(folder, "Test");
                tls = authority
                        .tls(authority.issue("node", "127.0.0.1"))
                        .protocols(List.of("TLSv1.2"))
                        .build();
            }
            return tls;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
