package io.weir.integration.path;

import io.weir.test.Networks;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Port;
import io.weir.test.Networks.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.opentest4j.TestAbortedException;

/**
 * A cable between this host and another one, in which children can run. It can be pulled at either end and put in
 * again; nobody is told then but by silence.
 */
final class Cable implements AutoCloseable {

    private final Networks networks;
    private final Host far;
    private final Wire wire;
    private final String network;
    private final int lowest;

    private Cable(Networks networks) {
        // There may be other builds on this host.
        int number = ThreadLocalRandom.current().nextInt(1 << 14);
        network = "198.18." + (number >> 6) + '.';
        lowest = (number & 0x3f) << 2;
        this.networks = networks;
        far = networks.host("far");
        wire = networks.wire(networks.here(), far);
        wire.first().address(network + (lowest + 1) + "/30");
        wire.second().address(farHost() + "/30");
    }

    /** Lays one; skips the test where that can't be done. */
    static Cable orSkip() {
        Networks networks;
        try {
            networks = Networks.make();
        } catch (Networks.Unavailable e) {
            throw new TestAbortedException(e.getMessage());
        }
        try {
            return new Cable(networks);
        } catch (RuntimeException e) {
            networks.close();
            throw e;
        }
    }

    /** The address of the other host. */
    String farHost() {
        return network + (lowest + 2);
    }

    /**
     * Stands before the command of a child that is to run on the other host, with these variables in its environment.
     */
    List<String> far(List<String> variables) {
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(variables);
        return far.command(command);
    }

    /** Cuts the network. */
    void pull(End end) {
        port(end).down();
    }

    /** The network is whole again. */
    void plug(End end) {
        port(end).up();
    }

    private Port port(End end) {
        return end == End.NEAR ? wire.first() : wire.second();
    }

    /** Where the cable is pulled: the kernel there knows no way any longer, the other one just hears nothing. */
    enum End {
        NEAR,
        FAR
    }

    @Override
    public void close() {
        networks.close();
    }
}
