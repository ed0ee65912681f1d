package io.weir.service.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.weir.core.Message;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;

class IncomingTest {

    private final Incoming incoming = new Incoming(0);
    private final AtomicLong demand = new AtomicLong();
    private final AtomicLong kept = new AtomicLong();

    IncomingTest() {
        incoming.keep(2000, length -> kept.addAndGet(-length));
        incoming.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                demand.addAndGet(n);
            }

            @Override
            public void cancel() {
                demand.set(0);
            }
        });
    }

    /** As long as some are asked for. Returns how many bytes they had. */
    private int fill(int size) {
        int filled = 0;
        while (demand.get() > 0 && filled < 4 << 20) {
            demand.decrementAndGet();
            kept.addAndGet(size);
            incoming.onNext(Message.of(Unpooled.wrappedBuffer(new byte[size])));
            filled += size;
        }
        return filled;
    }

    /** Few bytes in many messages are a bound as well as many bytes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 200, 5000, Segment.LONGEST})
    void asksForMoreWhenWhatHasWaitedIsRead(int size) throws IOException {
        for (int round = 0; round < 3; round++) {
            int filled = fill(size);
            assertThat(filled).isBetween(size, 1 << 20);
            assertThat(incoming.available()).isEqualTo(filled);
            assertThat(incoming.readNBytes(filled)).hasSize(filled);
            assertThat(demand).hasPositiveValue();
            assertThat(kept).hasValue(0);
        }
        incoming.close();
    }

    /** Where memory is short. */
    @Test
    void keepsNoMoreMessagesThanItMay() throws IOException {
        Incoming scarce = new Incoming(0);
        AtomicLong asked = new AtomicLong();
        scarce.keep(4, length -> {});
        scarce.onSubscribe(new Subscription() {
            @Override
            public void request(long n) {
                asked.addAndGet(n);
            }

            @Override
            public void cancel() {
                asked.set(0);
            }
        });
        for (int round = 0; round < 3; round++) {
            int come = 0;
            for (; asked.getAndDecrement() > 0; come++) {
                scarce.onNext(Message.of(Unpooled.wrappedBuffer(new byte[1])));
            }
            asked.set(0);
            assertThat(come).isBetween(1, 3);
            assertThat(scarce.readNBytes(come)).hasSize(come);
        }
        scarce.close();
    }

    @Test
    void whatIsNotReadIsKeptUntilItIsClosed() throws IOException {
        int filled = fill(1000);
        assertThat(incoming.readNBytes(1)).hasSize(1);
        assertThat(kept).as("a message that was read in part").hasValue(filled);
        incoming.close();
        assertThat(kept).hasValue(0);
    }

    @Test
    void asksForMoreLongBeforeAllIsRead() throws IOException {
        int filled = fill(1);
        int few = 2 * Incoming.BATCH;
        assertThat(demand).hasValue(0);
        assertThat(incoming.readNBytes(few)).hasSize(few);
        assertThat(demand).hasPositiveValue();
        assertThat(incoming.readNBytes(filled - few)).hasSize(filled - few);
        incoming.close();
    }
}
