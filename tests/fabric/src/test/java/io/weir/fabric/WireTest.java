package io.weir.fabric;

import io.weir.test.CProgram;
import io.weir.test.FrameRelay;
import io.weir.test.Networks;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * The tests of {@code io.weir.fabric.wire}, on a host of their own with a wire between two of its interfaces, and each
 * with its outcome here. Where there can be none they are skipped, or fail with {@code -Dweir.fabric=required}.
 */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class WireTest {

    @TestFactory
    List<DynamicNode> withFramesOfUsualLength() throws IOException, InterruptedException {
        return Lane.isWhole()
                ? onAWire(1500, "50", ".*((P4Contract|OverP4|Interface|Crowd|KilledPair)OnWire|Scene)")
                : onAWire(1500, "5", ".*(P4Contract|Interface)OnWire");
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> withLongFrames() throws IOException, InterruptedException {
        return onAWire(9000, "20", ".*P4ContractOnWire");
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> withTheLongestFrames() throws IOException, InterruptedException {
        return onAWire(65_000, "10", ".*P4ContractOnWire");
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> withShortFramesAndLittleMemory() throws IOException, InterruptedException {
        return onAWire(576, "20", ".*P4SmallOnWire");
    }

    private static List<DynamicNode> onAWire(int mtu, String effort, String classes)
            throws IOException, InterruptedException {
        try (Networks networks = Networks.make()) {
            Networks.Host host = networks.host("ends");
            Networks.Wire wire = networks.wire(host, host, mtu);
            return visit(host, wire.first(), wire.second(), "wire-" + mtu, effort, classes);
        } catch (Networks.Unavailable e) {
            return Retelling.without("a wire", e.getMessage());
        }
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> whereFramesAreLostDoubledHeldBackAndDamaged() throws IOException, InterruptedException {
        return throughARelay(0.01, ".*(P4ContractOnWire|Scene)");
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> whereThatHappensSeldom() throws IOException, InterruptedException {
        return throughARelay(0.001, ".*(Demo|Calls)Scene");
    }

    @TestFactory
    @Tag("whole")
    List<DynamicNode> whereThatHappensToEachFifth() throws IOException, InterruptedException {
        return throughARelay(0.2, ".*(Demo|Calls)Scene");
    }

    /** @param rate of frames that are lost, and as many again doubled, held back, and damaged */
    private static List<DynamicNode> throughARelay(double rate, String classes)
            throws IOException, InterruptedException {
        Optional<String> missing = CProgram.missing();
        if (missing.isPresent()) {
            return Retelling.without("a relay", missing.get());
        }
        try (Networks networks = Networks.make()) {
            Networks.Host ends = networks.host("ends");
            Networks.Host middle = networks.host("middle");
            Networks.Wire there = networks.wire(ends, middle);
            Networks.Wire back = networks.wire(middle, ends);
            try (FrameRelay relay = FrameRelay.between(there, back, 1, FrameRelay.Scope.P4SOCK)) {
                relay.faults(FrameRelay.Faults.NONE
                        .dropping(rate)
                        .duplicating(rate)
                        .reordering(rate, 5)
                        .corrupting(rate)
                        .delaying(Duration.ofNanos(100_000), Duration.ofNanos(100_000)));
                return visit(ends, there.first(), back.second(), "wire-with-faults-" + rate, "20", classes);
            }
        } catch (Networks.Unavailable e) {
            return Retelling.without("a wire", e.getMessage());
        }
    }

    /** Each test lays its wires itself. */
    @TestFactory
    List<DynamicNode> betweenHosts() throws IOException, InterruptedException {
        Optional<String> missing = CProgram.missing();
        if (missing.isPresent()) {
            return Retelling.without("a flood", missing.get());
        }
        try (Networks networks = Networks.make()) {
            return visit(networks.here(), "between-hosts", "100", ".*BetweenHosts");
        } catch (Networks.Unavailable e) {
            return Retelling.without("a wire", e.getMessage());
        }
    }

    private static List<DynamicNode> visit(
            Networks.Host host, Networks.Port one, Networks.Port other, String name, String effort, String classes)
            throws IOException, InterruptedException {
        one.address("198.18.0.1/30");
        other.address("198.18.0.2/30");
        return visit(host, name, effort, classes);
    }

    private static List<DynamicNode> visit(Networks.Host host, String name, String effort, String classes)
            throws IOException, InterruptedException {
        Visit visit = Visit.pay(
                // It ends with this JVM, even if that is killed.
                host.command(List.of("setpriv", "--pdeathsig", "TERM")),
                List.of("-Dweir.required.transports=p4sock", "-Dweir.test.effort=" + effort),
                System.getProperty("weir.fabric.classes", classes),
                name,
                Map.of());
        return new Retelling(name, visit.outcomes(), visit.hasRunToItsEnd(), visit::lastWords).nodes();
    }
}
