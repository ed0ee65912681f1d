package io.weir.test;

import static io.weir.test.FrameRelay.Direction.BACK;
import static io.weir.test.FrameRelay.Direction.FORTH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.weir.test.FrameRelay.Counters;
import io.weir.test.FrameRelay.Faults;
import io.weir.test.FrameRelay.Scope;
import io.weir.test.Networks.Host;
import io.weir.test.Networks.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Tag("one-jdk")
class FrameRelayTest {

    private static final long SEED = 17;
    private static final int SMALL = 100;

    @TempDir
    Path folder;

    private Networks networks;
    private Frames frames;
    private Wire first;
    private Wire second;
    private FrameRelay relay;

    @BeforeEach
    void make() throws InterruptedException {
        Wanted.compiler();
        networks = Wanted.networks();
        frames = Frames.in(folder);
        Host middle = networks.host("relay");
        first = networks.wire(networks.host("near"), middle);
        second = networks.wire(middle, networks.host("far"));
    }

    @AfterEach
    void close() {
        if (relay != null) {
            relay.close();
        }
        if (frames != null) {
            frames.close();
        }
        if (networks != null) {
            networks.close();
        }
    }

    private void begin(long seed, Scope scope) {
        relay = FrameRelay.between(first, second, seed, scope);
    }

    private void send(String type, int count) {
        assertThat(frames.send(first.first(), type, count, SMALL, 0)).isEqualTo("SENT");
    }

    /** When all that have been sent are gone. */
    private Counters settled(long received) {
        Wanted.until(() -> received + " frames; there are " + relay.counters(FORTH), () -> {
            Counters now = relay.counters(FORTH);
            return now.received() >= received && now.underWay() == 0;
        });
        return relay.counters(FORTH);
    }

    @Test
    void passesFramesAsTheyAreInBothDirections() throws IOException {
        begin(SEED, Scope.ALL);
        Frames.Receiver far = frames.receiver(second.second());
        Frames.Receiver near = frames.receiver(first.first());
        int many = 100_000;

        CompletableFuture<String> back =
                CompletableFuture.supplyAsync(() -> frames.send(second.second(), Frames.OTHERS, many, SMALL, 0));
        send(Frames.P4SOCK, many);
        assertThat(back.join()).isEqualTo("SENT");

        Frames.Result there = far.result(many);
        Frames.Result here = near.result(many);
        assertThat(relay.counters(FORTH)).isEqualTo(new Counters(many, many, 0, 0, 0, 0, 0, 0, 0));
        assertThat(relay.counters(BACK)).isEqualTo(new Counters(many, many, 0, 0, 0, 0, 0, 0, 0));
        for (Frames.Result each : new Frames.Result[] {there, here}) {
            assertThat(each.frames()).isEqualTo(many);
            assertThat(each.damaged() + each.twice() + each.late()).isZero();
        }
        assertThat(here.which()).isEqualTo(there.which());
    }

    @Test
    void longestFramesGoThrough() throws IOException {
        first.mtu(65_000);
        second.mtu(65_000);
        begin(SEED, Scope.ALL);
        relay.faults(FORTH, Faults.NONE.delaying(Duration.ofMillis(1), Duration.ZERO));
        Frames.Receiver far = frames.receiver(second.second());

        // More than the queue has room for at once, so that it comes to its end and begins anew.
        assertThat(frames.send(first.first(), Frames.P4SOCK, 5000, 65_014, 0)).isEqualTo("SENT");

        Counters counters = settled(5000 - relay.counters(FORTH).lost());
        assertThat(counters.passed()).isEqualTo(counters.received());
        assertThat(counters.refused()).isZero();
        Frames.Result result = far.result(counters.passed());
        assertThat(result.damaged() + result.twice() + result.late()).isZero();
    }

    @Test
    void doesWhatThePlanSays() throws IOException {
        begin(SEED, Scope.ALL);
        relay.faults(
                FORTH,
                Faults.NONE.dropping(0.1).duplicating(0.05).reordering(0.1, 5).corrupting(0.02));
        Frames.Receiver far = frames.receiver(second.second());
        int many = 50_000;

        send(Frames.P4SOCK, many);

        Counters counters = settled(many);
        assertThat(counters.received()).isEqualTo(many);
        assertThat((double) counters.dropped() / many).isCloseTo(0.1, within(0.01));
        double left = many - counters.dropped();
        assertThat(counters.duplicated() / left).isCloseTo(0.05, within(0.01));
        assertThat(counters.reordered() / left).isCloseTo(0.1, within(0.01));
        assertThat(counters.corrupted() / left).isCloseTo(0.02, within(0.005));
        assertThat(counters.lost() + counters.refused() + counters.blocked()).isZero();
        Frames.Result result = far.result(counters.passed());
        assertThat(result.frames()).isEqualTo(counters.passed());
        assertThat(result.damaged()).isEqualTo(counters.corrupted());
        // Some of those that came twice had one that was damaged, and not all that are held back are overtaken by an
        // intact one.
        assertThat(result.twice()).isBetween(counters.duplicated() * 9 / 10, counters.duplicated());
        assertThat(result.late()).isBetween(counters.reordered() / 2, counters.reordered());
        assertThat(relay.counters(BACK).received()).isZero();
    }

    @Test
    void sameSeedIsTheSameFate() throws IOException {
        Frames.Result one = fate(1);
        Frames.Result again = fate(1);
        Frames.Result other = fate(2);

        assertThat(again.which()).isEqualTo(one.which());
        assertThat(again.frames()).isEqualTo(one.frames());
        assertThat(again.damaged()).isEqualTo(one.damaged());
        assertThat(other.which()).isNotEqualTo(one.which());
    }

    private Frames.Result fate(long seed) throws IOException {
        begin(seed, Scope.ALL);
        relay.faults(FORTH, Faults.NONE.dropping(0.2).duplicating(0.05).corrupting(0.05));
        Frames.Receiver far = frames.receiver(second.second());
        send(Frames.P4SOCK, 2000);
        Frames.Result result = far.result(settled(2000).passed());
        relay.close();
        return result;
    }

    @Test
    void delaysAsLongAsItIsTold() throws IOException {
        begin(SEED, Scope.ALL);
        Duration delay = Duration.ofMillis(5);
        relay.faults(FORTH, Faults.NONE.delaying(delay, Duration.ZERO));
        Frames.Receiver far = frames.receiver(second.second());

        assertThat(frames.send(first.first(), Frames.P4SOCK, 500, SMALL, 200)).isEqualTo("SENT");

        Frames.Result result = far.result(500);
        // By two clocks, one of which may be put right meanwhile.
        assertThat(result.shortestNanos()).isGreaterThan(delay.toNanos() - 100_000);
        // A busy machine may be late for many of them, though not for most.
        assertThat(result.middleNanos()).isLessThan(3 * delay.toNanos());
        assertThat(result.late()).isZero();
    }

    @Test
    void cutsTheWireInOneDirection() throws IOException {
        begin(SEED, Scope.ALL);
        Frames.Receiver far = frames.receiver(second.second());
        Frames.Receiver near = frames.receiver(first.first());

        relay.block(FORTH);
        send(Frames.P4SOCK, 100);
        assertThat(settled(100)).isEqualTo(new Counters(100, 0, 0, 100, 0, 0, 0, 0, 0));
        assertThat(frames.send(second.second(), Frames.P4SOCK, 10, SMALL, 0)).isEqualTo("SENT");
        assertThat(near.result(10).frames()).isEqualTo(10);
        assertThat(far.result().frames()).isZero();

        relay.pass(FORTH);
        send(Frames.P4SOCK, 100);
        assertThat(far.result(100).frames()).isEqualTo(100);
    }

    @Test
    void sparesOtherFramesIfItIsTold() throws IOException {
        begin(SEED, Scope.P4SOCK);
        relay.faults(Faults.NONE.dropping(1));
        Frames.Receiver far = frames.receiver(second.second());

        send(Frames.P4SOCK, 100);
        send("0816", 100);
        send(Frames.OTHERS, 100);

        assertThat(settled(300)).isEqualTo(new Counters(300, 100, 200, 0, 0, 0, 0, 0, 0));
        assertThat(far.result(100).frames()).isEqualTo(100);
    }

    @Test
    void isNotHeldUpByAnEndThatIsDown() throws IOException {
        begin(SEED, Scope.ALL);
        second.second().down();
        send(Frames.P4SOCK, 10);
        assertThat(settled(10)).isEqualTo(new Counters(10, 0, 0, 0, 0, 0, 0, 10, 0));

        second.second().up();
        Frames.Receiver far = frames.receiver(second.second());
        send(Frames.P4SOCK, 10);
        assertThat(far.result(10).frames()).isEqualTo(10);
    }

    @Test
    void whoIsHeldBackIsNotLost() throws IOException {
        begin(SEED, Scope.ALL);
        relay.faults(FORTH, Faults.NONE.reordering(1, 5));
        Frames.Receiver far = frames.receiver(second.second());

        send(Frames.P4SOCK, 1);

        assertThat(far.result(1).frames()).isEqualTo(1);
        assertThat(settled(1)).isEqualTo(new Counters(1, 1, 0, 0, 0, 1, 0, 0, 0));
    }

    /** Segments and checksums are all there: nothing is longer than the MTU, and nothing is sent again and again. */
    @Test
    void tcpGoesThrough() throws IOException {
        first.first().address("198.18.73.1/24");
        second.second().address("198.18.73.2/24");
        begin(SEED, Scope.ALL);

        Process echo = new ProcessBuilder(second.second().host().command(FarEnd.command("echo", "198.18.73.2")))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String port = echo.inputReader(StandardCharsets.UTF_8).readLine();
            assertThat(Wanted.said(first.first().host().command(FarEnd.command("talk", "198.18.73.2", port))))
                    .isEqualTo("the same\n");
        } finally {
            echo.destroyForcibly();
        }
        Counters forth = relay.counters(FORTH);
        assertThat(forth.refused()).isZero();
        assertThat(forth.received()).isGreaterThan(FarEnd.SAID / 1500);
    }

    @Test
    void planThatMakesNoSenseIsRefused() {
        begin(SEED, Scope.ALL);

        assertThatThrownBy(() -> relay.faults(Faults.NONE.dropping(1.5)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("drop=1.5");
    }

    @Test
    void nothingIsLeft() {
        begin(SEED, Scope.ALL);
        ProcessHandle process = ProcessHandle.of(relay.pid()).orElseThrow();
        assertThat(process.info().command().orElseThrow()).endsWith("relay");
        send(Frames.P4SOCK, 10);
        Counters counted = settled(10);

        relay.close();

        assertThat(process.isAlive()).isFalse();
        assertThat(relay.counters(FORTH)).isEqualTo(counted);
        String names = networks.host("one-more").toString();
        networks.close();
        assertThat(Wanted.namespaces())
                .doesNotContain(names, second.first().host().toString());
    }
}
