package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.SessionLost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A fault happens when it was asked for, as often as asked for, and the same way again for the same seed. */
@ExtendWith({ResourceCheck.class, Seed.class})
@Timeout(60)
class FaultyLinkTest {

    private static final int FRAMES = 2_000;

    private FaultyLink.Pair links;
    private LinkPair pair;

    @BeforeEach
    void open() {
        TestLoop first = new TestLoop("first");
        TestLoop second = new TestLoop("second");
        links = FaultyLink.pair(first, second);
        pair = new LinkPair(links.first(), first, links.second(), second, () -> {
            first.end(Duration.ofSeconds(10));
            second.end(Duration.ofSeconds(10));
        });
    }

    @AfterEach
    void close() throws Exception {
        pair.close();
    }

    /** What arrives, in a form that shows every fault: number, length and whether the content is right. */
    private List<String> arrivals(Faults faults, int frames) {
        List<String> arrivals = new ArrayList<>();
        pair.second.receive(frame -> {
            if (frame.channel() == 0) {
                arrivals.add("last");
            } else {
                arrivals.add(frame.aux() + " " + frame.body().readableBytes() + " "
                        + (Noise.equal(frame.aux(), frame.body()) && Noise.equal(frame.aux(), frame.control())));
            }
        });
        links.first().faults(faults);
        Pump pump = pair.first.pump(FaultyLinkTest::numbered, frames);
        Await.until("all frames are taken", pump::done);
        links.first().faults(Faults.none());
        pair.first.send(new Frame().set(FrameKind.END, 0, 0, 0));
        Await.until("the last frame arrives", () -> pair.second.call(() -> arrivals.contains("last")));
        return pair.second.call(() -> List.copyOf(arrivals));
    }

    private static void numbered(long number, Frame frame, Bodies bodies) {
        int n = (int) number;
        var unused =
                frame.set(FrameKind.DATA, 0, 1, n).control(Noise.copy(n, 5)).body(bodies.any(n, 60));
    }

    @Test
    void withoutAFaultEverythingArrives() {
        assertThat(arrivals(Faults.none(), FRAMES))
                .hasSize(FRAMES + 1)
                .filteredOn(arrival -> arrival.endsWith(" 60 true"))
                .hasSize(FRAMES);
    }

    @Test
    void dropsItsShare() {
        List<String> arrivals = arrivals(Faults.seeded(Seed.of("drop")).dropping(0.25), FRAMES);
        assertThat(arrivals).hasSizeBetween(FRAMES * 6 / 10, FRAMES * 9 / 10);
        assertThat(arrivals.subList(0, arrivals.size() - 1)).allMatch(arrival -> arrival.endsWith(" 60 true"));
    }

    @Test
    void corruptsItsShare() {
        List<String> arrivals = arrivals(Faults.seeded(Seed.of("corrupt")).corrupting(0.25), FRAMES);
        assertThat(arrivals).hasSize(FRAMES + 1);
        assertThat(arrivals)
                .filteredOn(arrival -> arrival.endsWith(" 60 false"))
                .hasSizeBetween(FRAMES / 10, FRAMES * 4 / 10);
    }

    @Test
    void truncatesItsShare() {
        List<String> arrivals = arrivals(Faults.seeded(Seed.of("truncate")).truncating(0.25), FRAMES);
        assertThat(arrivals).hasSize(FRAMES + 1);
        assertThat(arrivals)
                .filteredOn(arrival -> !arrival.contains(" 60 ") && arrival.endsWith(" true"))
                .hasSizeBetween(FRAMES / 10, FRAMES * 4 / 10);
    }

    @Test
    void sameSeedSameFaults() {
        Faults faults =
                Faults.seeded(Seed.of("same")).dropping(0.1).corrupting(0.1).truncating(0.1);
        List<String> once = arrivals(faults, 500);
        assertThat(arrivals(faults, 500)).isEqualTo(once);
        assertThat(arrivals(Faults.seeded(1).dropping(0.5), 500)).isNotEqualTo(once);
    }

    @Test
    void delaysKeepTheOrder() {
        Faults faults = Faults.seeded(Seed.of("delay")).delaying(0.1, Duration.ofMillis(1));
        List<String> arrivals = arrivals(faults, 500);
        assertThat(arrivals).hasSize(501);
        for (int i = 0; i < 500; i++) {
            assertThat(arrivals.get(i)).isEqualTo(i + " 60 true");
        }
    }

    @Test
    void stallsUntilResumed() {
        FrameStream stream = FrameStream.uniform("stalled", 100);
        pair.second.expect(stream);
        pair.first.receive(frame -> {});
        links.first().stall();
        Pump pump = pair.first.pump(stream, 50);
        pair.first.pass(20);
        assertThat(pump.taken()).isZero();
        assertThat(pair.first.writables()).isZero();
        links.first().resume();
        pair.second.awaitReceived(50);
        assertThat(pair.first.writables()).isEqualTo(1);
    }

    @Test
    void breaksOnOneSideAlone() {
        FrameStream stream = FrameStream.uniform("unaware", 100);
        pair.first.receive(frame -> {});
        pair.second.expect(stream);
        links.first().breakHere(new SessionLost("as the test wants"));
        assertThat(pair.first.awaitLost()).hasMessage("as the test wants");
        Pump pump = pair.second.pump(stream, 500);
        Await.until("the other side goes on into the void", pump::done);
        assertThat(pair.second.lost()).isNull();
    }

    @Test
    void breaksOnBothSidesAfterWhatIsUnderWay() {
        FrameStream stream = FrameStream.uniform("before", 100);
        pair.first.receive(frame -> {});
        pair.second.expect(stream);
        Runnable goOn = pair.second.stop();
        Pump pump = pair.first.pump(stream, 50);
        Await.until("50 frames are taken", pump::done);
        links.breakBoth(new SessionLost("as the test wants"));
        goOn.run();
        assertThat(pair.first.awaitLost()).hasMessage("as the test wants");
        assertThat(pair.second.awaitLost()).hasMessage("as the test wants");
        assertThat(pair.second.received()).isEqualTo(50);
    }

    @Test
    void breaksAfterSoManyFrames() {
        FrameStream stream = FrameStream.uniform("counted", 100);
        pair.first.receive(frame -> {});
        pair.second.expect(stream);
        links.first().faults(Faults.none().breakingAfter(33));
        Pump pump = pair.first.pump(stream, 500);
        assertThat(pair.first.awaitLost()).isInstanceOf(SessionLost.class);
        assertThat(pair.second.awaitLost()).isInstanceOf(SessionLost.class);
        assertThat(pair.second.received()).isEqualTo(33);
        assertThat(pump.taken()).isGreaterThanOrEqualTo(33);
    }

    @Test
    void aFaultDoesNotReachIntoTheSendersMemory() {
        ByteBuf body = pair.first.bodies.in(Bodies.Form.LINK, 5, 100);
        pair.second.receive(frame -> assertThat(Noise.equal(5, frame.body())).isFalse());
        links.first().faults(Faults.seeded(1).corrupting(1));
        pair.first.send(body.retainedDuplicate());
        pair.second.awaitReceived(1);
        assertThat(Noise.equal(5, body)).isTrue();
        body.release();
    }
}
