package io.weir.tck;

import java.time.Duration;

/** A link in memory without a fault fulfils the contract, which so is tried without any adapter. */
class FaultyLinkContractTest implements LinkContract {

    @Override
    public LinkPair open() {
        TestLoop first = new TestLoop("first");
        TestLoop second = new TestLoop("second");
        FaultyLink.Pair pair = FaultyLink.pair(first, second);
        return new LinkPair(pair.first(), first, pair.second(), second, () -> {
            first.end(Duration.ofSeconds(10));
            second.end(Duration.ofSeconds(10));
        });
    }
}
