package io.weir.fabric.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that leaves anything behind in the devices: connections, queues, registered memory, packet sockets of any process. */
public final class DeviceCheck implements BeforeEachCallback, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(DeviceCheck.class);

    @Override
    public void beforeEach(ExtensionContext context) throws IOException, InterruptedException {
        context.getStore(NAMESPACE).put("before", now());
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException, InterruptedException {
        String before = context.getStore(NAMESPACE).get("before", String.class);
        // A process that has been killed is cleared up after by the kernel, and a device is closed by a thread of its
        // own.
        Patience.until(() -> "only what was there before:\n" + before, () -> now().equals(before));
    }

    /** How many there are of each kind. */
    static String now() throws IOException, InterruptedException {
        return Fabric.here().contains(Fabric.P4SOCK)
                ? Files.readString(Path.of("/proc/thread-self/net/packet")).replaceAll("[0-9a-f]{16}", "")
                : Program.run("rdma", "resource", "show");
    }
}
