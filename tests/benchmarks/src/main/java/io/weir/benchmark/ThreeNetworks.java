package io.weir.benchmark;

import io.weir.test.Networks;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Wire;
import java.util.List;

/** Three hosts in a row, the middle one of which routes between the others. */
final class ThreeNetworks implements AutoCloseable {

    static final String MIDDLE = "198.18.77.1";
    static final String FAR = "198.18.78.2";

    private static final String NEAR = "198.18.77.2";
    private static final String MIDDLE_TO_FAR = "198.18.78.1";

    private final Networks networks;
    private final Host near;
    private final Host middle;
    private final Host far;

    private ThreeNetworks(Networks networks) {
        this.networks = networks;
        near = networks.host("near");
        middle = networks.host("middle");
        far = networks.host("far");
        join(near, NEAR, MIDDLE);
        join(far, FAR, MIDDLE_TO_FAR);
        middle.forward();
    }

    /**
     * Makes them.
     *
     * @throws Networks.Unavailable if that can't be done, for instance because one must be root
     */
    static ThreeNetworks make() throws Networks.Unavailable {
        Networks networks = Networks.make();
        try {
            return new ThreeNetworks(networks);
        } catch (RuntimeException e) {
            networks.close();
            throw e;
        }
    }

    /** To the middle one. */
    private void join(Host end, String address, String gateway) {
        Wire wire = networks.wire(end, middle);
        wire.first().address(address + "/24");
        wire.second().address(gateway + "/24");
        end.route(gateway);
    }

    List<String> inNear(List<String> command) {
        return near.command(command);
    }

    List<String> inMiddle(List<String> command) {
        return middle.command(command);
    }

    List<String> inFar(List<String> command) {
        return far.command(command);
    }

    @Override
    public void close() {
        networks.close();
    }
}
