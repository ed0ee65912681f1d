package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.fabric.guest.Fabric.End;
import io.weir.samples.Weir;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/**
 * A process that may lock as little memory as those of ordinary users. It is this one, which is not allowed to exceed
 * its limit.
 */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class LockedMemoryInGuest {

    /** What a system gives to who has asked for nothing. */
    private static final int USUAL = 64 << 10;

    /** Enough for the slots of both ends of a link, and not for the first piece of a pool beside them. */
    private static final int FOR_SLOTS = 8 << 20;

    private static final int MESSAGES = 4;

    /**
     * A message of 1 MiB has more of them if it is copied into slots of 40 KiB; where its peer reads it, it has one.
     */
    private static final int FRAMES_EACH = 25;

    @TempDir
    Path folder;

    @AfterEach
    void unlimited() throws IOException, InterruptedException {
        limit("unlimited");
    }

    private static void limit(Object bytes) throws IOException, InterruptedException {
        // Only the soft limit, so that it can be raised again.
        Program.run("prlimit", "--pid=" + ProcessHandle.current().pid(), "--memlock=" + bytes + ":");
    }

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void withoutRoomForSlotsThePathIsMissingWithTheRemedy(Fabric fabric) throws IOException, InterruptedException {
        String missing = "may lock " + USUAL + " bytes of memory";
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Node far = nodes.start(End.FAR, fabric.path, "tcp");
            limit(USUAL);
            assertThat(info()).containsPattern(fabric.path + " +missing +.*" + missing + ".*ulimit -l.*LimitMEMLOCK");
            Peer peer = Nodes.connect(nodes.start(End.NEAR, fabric.path, "tcp"), far);
            assertThat(Nodes.path(peer)).isEqualTo("tcp");
            assertThat(Nodes.reason(peer, fabric.path)).contains("missing here", missing, "ulimit -l");
            Bodies.echo(peer, MESSAGES, Bodies.LONG);
        }
    }

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void withoutRoomForThePoolLongMessagesAreCopied(Fabric fabric) throws IOException, InterruptedException {
        limit(FOR_SLOTS);
        assertThat(info()).containsPattern(fabric.path + " +ready +" + Pattern.quote(fabric.uses));
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Peer peer = nodes.connect();
            assertThat(Nodes.path(peer)).isEqualTo(fabric.path);
            Bodies.echo(peer, MESSAGES, Bodies.LONG);
            assertThat(nodes.framesReceived()).isGreaterThan(MESSAGES * FRAMES_EACH);
        }
    }

    /** What {@code weir info} says. */
    private static String info() {
        StringWriter said = new StringWriter();
        assertThat(new CommandLine(Weir.class).setOut(new PrintWriter(said)).execute("info"))
                .isZero();
        return said.toString();
    }
}
