package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.fabric.guest.Fabric.End;
import io.weir.samples.Weir;
import io.weir.tck.ResourceCheck;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A program of Java RMI, unchanged, as {@code ./weir rmi} runs it: both sides are processes. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class RmiScene {

    private static final String PORT = "17099";

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#first")
    void runsUnchanged(Fabric fabric) throws IOException, InterruptedException {
        // Both at once, as two processors start them.
        try (Program server = Program.serve(run(Board.Server.class), fabric.environment(End.FAR));
                Program client = Program.start(run(Board.Client.class), fabric.environment(End.NEAR))) {
            assertThat(server.says("SERVES")).isEqualTo(PORT);
            // Both large arrays, there and back.
            assertThat(client.succeed())
                    .containsPattern("over " + fabric.path + ": 2\\d{6} bytes sent, 2\\d{6} received");
            String unused = server.leave();
        }
    }

    private static List<String> run(Class<?> main) {
        return Jvm.command(Weir.class, "rmi", "--report", main.getName(), PORT);
    }
}
