package io.weir.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class WindowTest {

    private static final long TOO_MANY = 1_000_000_000_000L;

    @Test
    void grantsNothingWithoutDemand() {
        Window window = new Window(100, 1000, 0);

        assertThat(window.itemsToGrant()).isZero();
        assertThat(window.bytesToGrant()).isZero();
        assertThat(window.mayDeliver()).isFalse();
    }

    @Test
    void grantsWhatIsRequestedOnce() {
        Window window = new Window(100, 1000, 0);
        window.request(7);

        assertThat(window.itemsToGrant()).isEqualTo(7);
        assertThat(window.itemsToGrant()).isZero();
        assertThat(window.outstanding()).isEqualTo(7);
        assertThat(window.mayDeliver()).isTrue();
    }

    @Test
    void theWindowCapsTheDemand() {
        Window window = new Window(100, 1000, 0);
        window.request(TOO_MANY);

        assertThat(window.itemsToGrant()).isEqualTo(100);
    }

    @Test
    void initialItemsCountAgainstTheDemand() {
        Window window = new Window(100, 1000, 10);
        window.arrived(1);
        window.request(30);

        assertThat(window.itemsToGrant())
                .as("30 requested, 9 on their way, 1 buffered")
                .isEqualTo(20);
    }

    @Test
    void grantsInBlocksOfHalfAndAtOnceToAStarvedSender() {
        Window window = new Window(10, 1000, 0);
        window.request(Window.UNBOUNDED);
        assertThat(window.itemsToGrant()).isEqualTo(10);
        for (int i = 0; i < 4; i++) {
            pass(window, 0);
            assertThat(window.itemsToGrant()).isZero();
        }
        pass(window, 0);
        assertThat(window.itemsToGrant()).isEqualTo(5);

        Window small = new Window(10, 1000, 0);
        small.request(1);
        assertThat(small.itemsToGrant()).isEqualTo(1);
        pass(small, 0);
        small.request(1);
        assertThat(small.itemsToGrant()).as("the sender has nothing").isEqualTo(1);
    }

    @Test
    void manyMessagesNeedFewGrants() {
        Window window = new Window(256, 256 * 100, 0);
        window.request(Window.UNBOUNDED);
        Credits credits = new Credits(0, 256 * 100);
        int itemGrants = 0;
        int byteGrants = 0;
        for (int i = 0; i < 25_600; i++) {
            if (credits.items() == 0) {
                assertThat(i).as("never starved but at the start").isZero();
            }
            long items = window.itemsToGrant();
            long bytes = window.bytesToGrant();
            itemGrants += items > 0 ? 1 : 0;
            byteGrants += bytes > 0 ? 1 : 0;
            credits.grant(items, bytes);
            assertThat(credits.tryTake(100)).isTrue();
            window.arrived(100);
            window.delivered();
            window.freed(100);
        }
        assertThat(itemGrants).isEqualTo(200);
        assertThat(byteGrants).isEqualTo(399);
    }

    @Test
    void whatIsBufferedTakesItsPlaceInTheWindow() {
        Window window = new Window(4, 1000, 4);
        for (int i = 0; i < 4; i++) {
            window.arrived(0);
        }
        window.request(Window.UNBOUNDED);
        assertThat(window.itemsToGrant())
                .as("empty messages can't pile up beyond the window")
                .isZero();
        window.delivered();
        assertThat(window.itemsToGrant()).isEqualTo(1);
    }

    @Test
    void prefetchIsGrantedBeyondTheDemand() {
        Window window = new Window(10, 1000, 0);
        window.prefetch(3);
        assertThat(window.itemsToGrant()).isEqualTo(3);
        window.arrived(0);
        window.arrived(0);
        window.arrived(0);
        assertThat(window.mayDeliver()).isFalse();
        assertThat(window.itemsToGrant()).isZero();
        window.request(2);
        assertThat(window.itemsToGrant()).isEqualTo(2);

        window.prefetch(Long.MAX_VALUE);
        assertThat(window.itemsToGrant())
                .as("10 less 3 buffered and 2 on their way")
                .isEqualTo(5);
    }

    @Test
    void demandHas64Bits() {
        long demand = 3_000_000_000L;
        Window window = new Window(Credits.MAX, 10, 0);
        window.request(demand);
        assertThat(window.itemsToGrant()).isEqualTo(demand);
        window.request(demand);
        assertThat(window.demand()).isEqualTo(2 * demand);
        for (int i = 0; i < 1000; i++) {
            pass(window, 0);
        }
        assertThat(window.demand()).isEqualTo(2 * demand - 1000);
        assertThat(window.outstanding()).isEqualTo(demand - 1000);
        assertThat(window.itemsToGrant()).isEqualTo(demand);
    }

    @Test
    void unboundedDemandNeverDecreases() {
        Window window = new Window(10, 10, 10);
        window.request(Long.MAX_VALUE - 1);
        window.request(Long.MAX_VALUE - 1);
        assertThat(window.demand()).isEqualTo(Window.UNBOUNDED);
        pass(window, 3);
        assertThat(window.demand()).isEqualTo(Window.UNBOUNDED);

        Window almost = new Window(10, 10, 10);
        almost.request(Long.MAX_VALUE - 1);
        pass(almost, 3);
        assertThat(almost.demand()).isEqualTo(Long.MAX_VALUE - 2);
    }

    @Test
    void bytesReturnInQuarters() {
        Window window = new Window(100, 1000, 100);
        window.arrived(249);
        window.arrived(1);
        window.freed(249);
        assertThat(window.bytesToGrant()).isZero();
        window.freed(1);
        assertThat(window.bytesToGrant()).isEqualTo(250);
        assertThat(window.bytesToGrant()).isZero();
    }

    @Test
    void aWantBringsWhatIsFreeAtOnceIfThatIsEnough() {
        Window window = new Window(100, 1000, 100);
        window.arrived(100);
        window.arrived(50);
        window.freed(50);
        window.want(950);
        assertThat(window.bytesToGrant())
                .as("850 + 50 would not do, so it waits for more")
                .isZero();
        window.freed(100);
        assertThat(window.bytesToGrant()).isEqualTo(150);
        assertThat(window.granted()).isEqualTo(1000);
        assertThat(window.lent()).isZero();
    }

    @Test
    void aWantThatIsMetAlreadyChangesNothing() {
        Window window = new Window(100, 1000, 100);
        window.arrived(100);
        window.freed(100);
        window.want(900);
        assertThat(window.bytesToGrant()).isZero();
        assertThat(window.granted()).isEqualTo(900);
    }

    @Test
    void aWantBeyondTheWindowIsLentOnceNothingIsHeldAndPaidBack() {
        Window window = new Window(100, 1000, 100);
        window.arrived(300);
        window.want(5000);
        assertThat(window.bytesToGrant()).isZero();
        window.freed(299);
        assertThat(window.bytesToGrant())
                .as("a free quarter goes back as always")
                .isEqualTo(299);
        assertThat(window.bytesToGrant()).as("one byte is still held").isZero();
        window.freed(1);
        assertThat(window.bytesToGrant()).isEqualTo(4001);
        assertThat(window.granted()).isEqualTo(5000);
        assertThat(window.lent()).isEqualTo(4000);

        window.arrived(5000);
        window.freed(4000);
        assertThat(window.lent()).isZero();
        assertThat(window.bytesToGrant()).as("this paid the loan back").isZero();
        window.freed(1000);
        assertThat(window.bytesToGrant()).isEqualTo(1000);
        assertThat(window.granted()).isEqualTo(1000);
    }

    @Test
    void aLoanThatWasNotUsedIsNotLentTwice() {
        Window window = new Window(100, 1000, 100);
        window.want(3000);
        assertThat(window.bytesToGrant()).isEqualTo(2000);
        window.want(4000);
        assertThat(window.bytesToGrant()).isEqualTo(1000);
        assertThat(window.lent()).isEqualTo(3000);
        assertThat(window.granted()).isEqualTo(4000);
    }

    @Test
    void aLaterWantReplacesAnEarlierOne() {
        Window window = new Window(100, 1000, 100);
        window.want(3000);
        window.want(0);
        assertThat(window.bytesToGrant()).isZero();
        assertThat(window.lent()).isZero();
    }

    @Test
    void aSenderBeyondItsCreditIsFoundOut() {
        Window items = new Window(10, 1000, 1);
        items.arrived(1);
        assertThatExceptionOfType(CreditExceeded.class)
                .isThrownBy(() -> items.arrived(1))
                .withMessage("a message of 1 bytes came with only 0 items and 999 bytes of credit left");

        Window bytes = new Window(10, 1000, 10);
        assertThatExceptionOfType(CreditExceeded.class).isThrownBy(() -> bytes.arrived(1001));
        assertThatExceptionOfType(CreditExceeded.class).isThrownBy(() -> bytes.arrived(Long.MAX_VALUE));
        assertThatExceptionOfType(CreditExceeded.class).isThrownBy(() -> bytes.arrived(-1));
        assertThat(bytes.granted()).isEqualTo(1000);
        assertThat(bytes.held()).isZero();
        assertThat(bytes.outstanding()).isEqualTo(10);
        assertThat(bytes.buffered()).isZero();
    }

    @Test
    void ourOwnMistakesAreFoundOut() {
        Window window = new Window(10, 1000, 10);
        assertThatIllegalStateException().isThrownBy(window::delivered);
        window.request(1);
        assertThatIllegalStateException().isThrownBy(window::delivered).withMessageContaining("0 buffered");
        window.arrived(5);
        assertThatIllegalStateException().isThrownBy(() -> window.freed(6)).withMessage("freed 6 bytes of 5 held");
        assertThatIllegalStateException().isThrownBy(() -> window.freed(-1));
        assertThat(window.held()).isEqualTo(5);
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Window(0, 1, 0))
                .withMessageContaining("maxItems: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Window(1, 0, 0))
                .withMessageContaining("maxBytes: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Window(1, 1, 2))
                .withMessageContaining("initialItems: 2");
        assertThatIllegalArgumentException().isThrownBy(() -> new Window(Credits.MAX + 1, 1, 0));
        Window window = new Window(1, 1, 0);
        assertThatIllegalArgumentException().isThrownBy(() -> window.request(0)).withMessageContaining("request: 0");
        assertThatIllegalArgumentException().isThrownBy(() -> window.prefetch(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> window.want(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> window.want(Credits.MAX + 1));
        window.want(Credits.MAX);
        assertThat(window.bytesToGrant()).isEqualTo(Credits.MAX - 1);
        assertThat(new Credits(0, window.granted()).bytes())
                .as("a sender can hold it")
                .isEqualTo(Credits.MAX);
    }

    private static void pass(Window window, long bytes) {
        window.arrived(bytes);
        window.delivered();
        window.freed(bytes);
    }
}
