package io.weir.transport.dapl;

import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.rdma.Soon;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A kernel with an RDMA device, and a registry of uDAPL that names it. Fails a test that leaves descriptors behind. */
final class Guest implements AfterEachCallback {

    /** By the name of the device's network interface. */
    static final String ADAPTER = "ofa-v2-cma-rxe";

    static TransportSettings settings(Map<String, String> options) {
        return new TransportSettings(Path.of("unused"), true, options);
    }

    static DaplAdapter adapter() {
        return DaplAdapter.open(ADAPTER, false);
    }

    /** A thread that makes a connection sees only after a while that it was given up. */
    @Override
    public void afterEach(ExtensionContext context) {
        Soon.until(() -> Descriptor.open() == 0);
    }
}
