package io.weir.samples.process;

import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.peer.PathDecision.Attempt;
import java.util.List;

/** One path that is to be shown, whatever else there is. */
public final class OnePath {

    private OnePath() {}

    /**
     * A node that connects over this path, or a later one of its order: what stands before it is switched off, but for
     * local, which never leads to another process.
     *
     * @throws io.weir.core.Misconfigured if there is no such path, with the nearest one that there is
     */
    public static NodeSpec spec(String name, String path) {
        NodeSpec here = NodeSpec.fromSystem();
        // It is this path that is shown, from the beginning, also where JVMs that have just started compete for the
        // processors.
        NodeSpec.Builder spec = here.toBuilder()
                .name(name)
                .listen(Place.listen())
                .headStart(here.timeouts().handshake());
        List<String> order = spec.build().paths().paths();
        // This path is to be shown, not the fastest one.
        spec = spec.order(order.toArray(String[]::new));
        if (!order.contains(path)) {
            return spec.order(path).build();
        }
        for (String before : order.subList(0, order.indexOf(path))) {
            spec = before.equals("local") ? spec : spec.path(before, PathSwitch.OFF);
        }
        return spec.build();
    }

    /** Whether this path connects us. */
    public static boolean connects(String path, Peer peer) {
        return peer.path().chosen().filter(chosen -> chosen.path().equals(path)).isPresent();
    }

    /**
     * Has it that this path connects us.
     *
     * @throws ProgramFailed with the reason, if another one does
     */
    public static void check(String path, Peer peer) {
        if (!connects(path, peer)) {
            throw new ProgramFailed("There is no " + path + " between the two processes: " + whyNot(path, peer) + '.');
        }
    }

    private static String whyNot(String path, Peer peer) {
        return peer.path().attempts().stream()
                .filter(attempt -> attempt.path().equals(path))
                .map(Attempt::reason)
                .findFirst()
                .orElse("the table says why");
    }
}
