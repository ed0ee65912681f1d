package io.weir.samples.process;

import io.weir.samples.process.Namespaces.End;
import java.util.List;

/**
 * Three hosts in a row, as {@link Namespaces}: two networks, and a host that is on both. Nothing is routed from one to
 * the other.
 */
public final class ThreeHosts implements AutoCloseable {

    public static final String NEAR = "10.77.1.2";
    public static final String MIDDLE = "10.77.1.1";
    public static final String FAR = "10.77.2.2";

    private final Namespaces hosts;

    private ThreeHosts(Namespaces hosts) {
        this.hosts = hosts;
    }

    /**
     * Makes them.
     *
     * @throws ProgramFailed if that can't be done, for instance because one must be root; nothing is left then
     */
    public static ThreeHosts make(Ip ip) {
        return new ThreeHosts(Namespaces.make(
                ip,
                hosts -> {
                    hosts.cable(new End(0, "weir0", NEAR), new End(1, "weir0", MIDDLE));
                    hosts.cable(new End(2, "weir0", FAR), new End(1, "weir1", "10.77.2.1"));
                },
                "a",
                "g",
                "b"));
    }

    /** Stands before a command that is to run in one of them: 0 is the near one, 1 the middle, 2 the far one. */
    public List<String> in(int which) {
        return hosts.in(which);
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
