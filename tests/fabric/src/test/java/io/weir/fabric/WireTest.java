package io.weir.fabric;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * The tests of {@code io.weir.fabric.wire}, in a network of their own in which a wire joins two interfaces, and each with its outcome here. Where there can be
 * none they are skipped, or fail with {@code -Dweir.fabric=required}.
 */
@EnabledOnOs(OS.LINUX)
class WireTest {

    /** Lays the wire, whose MTU is the first argument, and becomes the rest of them. */
    private static final String LAY = """
            ip link set lo up &&
            ip link add weir0 mtu $0 type veth peer name weir1 mtu $0 &&
            ip address add 198.18.0.1/30 dev weir0 && ip address add 198.18.0.2/30 dev weir1 &&
            ip link set weir0 up && ip link set weir1 up && exec "$@"
            """;

    @TestFactory
    List<DynamicNode> onTheWire() throws IOException, InterruptedException {
        List<DynamicNode> nodes = new ArrayList<>();
        String refusal = refusal();
        if (!refusal.isEmpty()) {
            return Retelling.without("a wire", "only root on Linux, with ip of iproute2, can lay a wire: " + refusal);
        }
        for (String mtu : List.of("1500", "9000")) {
            Visit visit = Visit.pay(
                    place(mtu, List.of("setpriv", "--pdeathsig", "TERM")),
                    List.of("-Dweir.required.transports=p4sock"),
                    System.getProperty("weir.fabric.classes", ".*OnWire"),
                    "wire-" + mtu,
                    Map.of());
            nodes.addAll(new Retelling(
                            "the wire with an MTU of " + mtu,
                            visit.outcomes(),
                            visit.hasRunToItsEnd(),
                            visit::lastWords)
                    .nodes());
        }
        return nodes;
    }

    private static List<String> place(String mtu, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("unshare", "--net", "sh", "-c", LAY, mtu));
        whole.addAll(command);
        return whole;
    }

    private static String refusal() throws IOException, InterruptedException {
        Process attempt = new ProcessBuilder(place("1500", List.of("true")))
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String said = new String(attempt.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return attempt.waitFor() == 0 ? "" : said.isEmpty() ? "it failed" : said;
    }
}
