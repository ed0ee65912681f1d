package io.weir.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hostile.client.Channel;
import io.weir.hostile.client.Flag;
import io.weir.hostile.client.Frame;
import io.weir.hostile.client.Identity;
import io.weir.hostile.client.Session;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A JVM whose heap is full is nobody's fault here; but its nodes go on afterwards, or say that they do not. */
class HeapTest {

    private static final Set<String> GOOD = Set.of("echo", "has failed");

    /** The end of a node that has no memory takes its time, and so does each look at one that does not answer. */
    private static final long LIMIT = TimeUnit.MINUTES.toNanos(2);

    private static final int PAUSE_MILLIS = 500;

    @Test
    void aNodeWhoseHeapWasFullServesAgainOrHasFailedAloud() throws Exception {
        try (Target target = new Target(Size.TIGHT)) {
            ExecutorService others = Executors.newSingleThreadExecutor();
            Future<?> load = others.submit(() -> {
                while (!Thread.interrupted()) {
                    open(target);
                }
                return null;
            });
            target.starve();
            load.cancel(true);
            others.shutdown();
            assertThat(others.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            long start = System.nanoTime();
            String seen = seen(target);
            while (!GOOD.contains(seen) && System.nanoTime() - start < LIMIT) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                seen = seen(target);
            }
            assertThat(seen).as("%s%n%s", target.memory().line(), target.log()).isIn(GOOD);
        }
    }

    private static String seen(Target target) throws IOException, InterruptedException {
        return target.memory().failure().equals("none") ? echo(target) : "has failed";
    }

    /** New sessions with new channels, so that the node needs memory of its heap. */
    private static void open(Target target) throws InterruptedException {
        try (Attacker attacker = new Attacker(target)) {
            attacker.attack(4, number -> {
                while (attacker.goesOn()) {
                    try (Session session = attacker.session().read()) {
                        for (int channel = 0; channel < 200; channel++) {
                            session.open("greet", Flag.REQUESTS, 1, 1);
                        }
                        attacker.did();
                    } catch (IOException refused) {
                        attacker.did();
                    }
                }
            });
        }
    }

    private static String echo(Target target) throws InterruptedException {
        try (Session session = Session.connect(target.open(), Identity.fresh()).read()) {
            Channel channel = session.open("echo", 0, 1, 1000);
            channel.sendWhole(Frame.data(channel.number(), "echo".getBytes(UTF_8)));
            return new String(channel.awaitMessage(), UTF_8);
        } catch (IOException failed) {
            return failed.toString();
        }
    }
}
