package io.weir.channel;

import io.weir.tck.LinkContract;
import io.weir.tck.LinkPair;
import org.junit.jupiter.api.Tag;

/** What every link promises, kept by one that leads through a gateway, over legs of tcp. */
@Tag("whole")
class TunnelLinkTest implements LinkContract {

    @Override
    public LinkPair open() throws Exception {
        Tunnel tunnel = Tunnel.open("tcp");
        return new LinkPair(tunnel.first(), tunnel.firstLoop(), tunnel.second(), tunnel.secondLoop(), tunnel);
    }
}
