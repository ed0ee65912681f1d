package io.weir.fabric.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the cable of a device meets the switch. Pulled, the device's port is down while its netdev and its address
 * stay.
 */
final class Plug implements AutoCloseable {

    private final String device;

    private Plug(String device) {
        this.device = device;
    }

    /**
     * Pulls the plug of {@code rxe0} or {@code rxe1}, and returns when its port is down; closing puts it back, and the
     * port is active.
     */
    static Plug pull(String device) throws IOException, InterruptedException {
        Plug plug = new Plug(device);
        plug.set("down", "DOWN");
        return plug;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        set("up", "ACTIVE");
    }

    /** The kernel tells a device of its cable in its own time. */
    private void set(String link, String state) throws IOException, InterruptedException {
        Program.run("ip", "link", "set", device.replace("rxe", "plug"), link);
        Path port = Path.of("/sys/class/infiniband", device, "ports/1/state");
        Patience.until(
                () -> "port of " + device + " is " + state,
                () -> Files.readString(port).contains(state));
    }
}
