package io.weir.samples.process;

import io.weir.core.PeerAddress;
import io.weir.samples.process.Namespaces.End;
import java.util.List;

/** Two hosts with a cable between them, as {@link Namespaces}. */
public final class TwoHosts implements AutoCloseable {

    /** What each of them calls its end of the cable. */
    public static final String CABLE = "weir0";

    static final String NEAR = "10.0.0.1";
    static final String FAR = "10.0.0.2";

    private static final End HERE = new End(0, CABLE, NEAR);
    private static final End THERE = new End(1, CABLE, FAR);

    private final Namespaces hosts;

    private TwoHosts(Namespaces hosts) {
        this.hosts = hosts;
    }

    /**
     * Makes them.
     *
     * @throws ProgramFailed if that can't be done, for instance because one must be root; nothing is left then
     */
    public static TwoHosts make(Ip ip) {
        return new TwoHosts(Namespaces.make(ip, hosts -> hosts.cable(HERE, THERE), "a", "b"));
    }

    /** Stands before a command that is to run in the first one. */
    public List<String> near() {
        return hosts.in(HERE.host());
    }

    /** Stands before a command that is to run in the second one. */
    public List<String> far() {
        return hosts.in(THERE.host());
    }

    /** Where the second one can be reached from the first one, at any free port. */
    public PeerAddress address() {
        return new PeerAddress(THERE.address(), 0);
    }

    @Override
    public void close() {
        hosts.close();
    }

    @Override
    public String toString() {
        return hosts.toString();
    }
}
