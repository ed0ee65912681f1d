package io.weir.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.samples.process.Ip;
import io.weir.samples.process.ProgramFailed;
import io.weir.samples.process.ThreeHosts;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import picocli.CommandLine;

/** The command as a user calls it, with its real three processes. */
@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class GatewayDemoTest {

    private final StringWriter out = new StringWriter();

    private int demo(String... arguments) {
        return new CommandLine(new GatewayDemo())
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
    }

    @Test
    void aServerIsReachedAndStoppedThroughAGateway() {
        assertThat(demo()).as(out::toString).isZero();
        seesBothLegs("shm", "tcp");
    }

    @Test
    void alsoBetweenTwoNetworks() {
        assumeTrue(canMakeNetworks(), "this makes network namespaces, which needs root and the command ip");
        assertThat(demo("--network", "--path", "tcp")).as(out::toString).isZero();
        // The gateway and the server are on one wire, which root may use.
        seesBothLegs("tcp", "p4sock");
    }

    private void seesBothLegs(String path, String further) {
        assertThat(out.toString())
                .containsPattern("gateway +joined +client-\\w+ over " + path + " - server-\\w+ over " + further)
                .containsPattern("client +server-\\w+ over gateway through gateway-\\w+: " + path + " - " + further)
                .containsPattern(
                        "client +has read 50 pieces of 1000, and stops; the server has made \\d{2,3}, and makes "
                                + "no more")
                .containsPattern("client +has read on: 1000 pieces; SHA-256 \\w{64}, as the server has it");
    }

    private static boolean canMakeNetworks() {
        try (ThreeHosts hosts = ThreeHosts.make(new Ip("ip"))) {
            return !hosts.toString().isEmpty();
        } catch (ProgramFailed e) {
            return false;
        }
    }
}
