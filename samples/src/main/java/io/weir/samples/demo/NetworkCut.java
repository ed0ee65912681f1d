package io.weir.samples.demo;

import io.weir.channel.Peer;
import io.weir.samples.process.Ip;
import io.weir.samples.process.TwoHosts;
import java.time.Duration;
import java.util.function.BiConsumer;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * What happens to a stream between {@link TwoHosts}. The network goes down when a quarter has gone. A stream over
 * shared memory does not need it, and has that cut as well when half has gone. In the end the network comes back. Told
 * by the thread that reads.
 */
final class NetworkCut {

    /** Longer than {@link NetworkRun#USER_TIMEOUT}, so that the connection is over, and not just late. */
    static final Duration DOWN = Duration.ofSeconds(3);

    private static final String NETWORK = "network";

    private final Ip ip = new Ip("ip");
    private final Peer peer;
    private final String path;
    private final BiConsumer<String, String> row;
    private volatile boolean mended;
    private boolean told;
    private long last = System.nanoTime();

    /**
     * Nothing happens yet.
     *
     * @param path over which the stream goes
     * @param row prints a line, with a label
     */
    NetworkCut(Peer peer, String path, BiConsumer<String, String> row) {
        this.peer = peer;
        this.path = path;
        this.row = row;
    }

    /** So many percent have gone. */
    void atQuarter(int percent) {
        boolean overTcp = path.equals("tcp");
        if (percent == 25) {
            row.accept(
                    NETWORK,
                    "goes down (" + set("down") + "), and the stream " + (overTcp ? "waits" : "goes on over " + path));
            if (overTcp) {
                mendLater();
            }
        } else if (percent == 50 && !overTcp) {
            row.accept(path, "is cut as well, and the stream waits");
            var unused = peer.cut()
                    .doFinally(end -> mendLater())
                    .subscribe(done -> {}, error -> row.accept(path, String.valueOf(error.getMessage())));
        }
    }

    private String set(String state) {
        String[] arguments = {"link", "set", "dev", TwoHosts.CABLE, state};
        ip.run(arguments);
        return String.join(" ", ip.command(arguments));
    }

    private void mendLater() {
        var unused = Mono.fromRunnable(this::mend)
                .delaySubscription(DOWN, Schedulers.boundedElastic())
                .subscribe(done -> {}, error -> row.accept(NETWORK, String.valueOf(error.getMessage())));
    }

    private void mend() {
        row.accept(NETWORK, "is back (" + set("up") + ')');
        mended = true;
    }

    /** A piece has gone. */
    void piece(int bytes) {
        long now = System.nanoTime();
        if (mended && !told) {
            told = true;
            row.accept(
                    "stream", "goes on, after it has stood still for " + Units.seconds(Duration.ofNanos(now - last)));
        }
        last = now;
    }
}
