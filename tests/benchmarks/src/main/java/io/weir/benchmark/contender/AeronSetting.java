package io.weir.benchmark.contender;

import io.aeron.driver.MediaDriver;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * A way to run Aeron, written as {@code spin/1408}.
 *
 * @param mtu the longest fragment in bytes; longer messages are cut and joined
 */
record AeronSetting(Waiting waiting, int mtu) {

    /** How the threads wait that have nothing to do: the two that are measured, and that of the driver. */
    enum Waiting {
        /** All three back off: spin, yield, park up to 1 ms. */
        BACKOFF,
        /** The measured threads spin, the driver backs off. */
        HYBRID,
        /** All three spin, and on two processors the driver's shares one with a measured thread. */
        SPIN
    }

    static final int DEFAULT_MTU = 1408;

    /** What is certainly enough for the header that each fragment has. */
    private static final int HEADERS = 64;

    /** As near to 64 KiB as Aeron allows. */
    static final int LARGEST_MTU = 65504;

    static AeronSetting of(String label) {
        String[] parts = label.split("/", -1);
        return new AeronSetting(Waiting.valueOf(parts[0].toUpperCase(Locale.ROOT)), Integer.parseInt(parts[1]));
    }

    /** The candidates for the best configuration of a cell. */
    static List<String> worthTrying(Cell cell) {
        if (cell.scenario() == Scenario.IDLE) {
            return List.of(new AeronSetting(Waiting.BACKOFF, DEFAULT_MTU).label());
        }
        Stream<Integer> mtus =
                cell.size() < DEFAULT_MTU - HEADERS ? Stream.of(DEFAULT_MTU) : Stream.of(DEFAULT_MTU, LARGEST_MTU);
        return mtus.flatMap(
                        mtu -> Arrays.stream(Waiting.values()).map(waiting -> new AeronSetting(waiting, mtu).label()))
                .toList();
    }

    IdleStrategy measured() {
        return waiting == Waiting.BACKOFF ? new BackoffIdleStrategy() : new BusySpinIdleStrategy();
    }

    void configure(MediaDriver.Context driver) {
        driver.ipcMtuLength(mtu);
        driver.sharedIdleStrategy(waiting == Waiting.SPIN ? new BusySpinIdleStrategy() : new BackoffIdleStrategy());
    }

    String label() {
        return waiting.name().toLowerCase(Locale.ROOT) + '/' + mtu;
    }
}
