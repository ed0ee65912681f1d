package io.weir.integration.channel;

import io.weir.integration.Nodes;
import org.junit.jupiter.api.Tag;

/** What a channel promises of its ends, between two nodes that have nothing but a gateway between them. */
@Tag("whole")
class GatewayChannelTest implements EndingContract {

    @Override
    public boolean throughGateway() {
        return true;
    }

    /** Not here: who takes less than 64 KiB is not reached through gateways. */
    @Override
    public void aMessageThatIsTooLongForThePeerFailsItsChannel(int size, long window, Nodes nodes) {}
}
