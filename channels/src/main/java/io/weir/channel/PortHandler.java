package io.weir.channel;

/** What happens with channels that peers open to a port. */
interface PortHandler {

    /**
     * A peer wants this channel. Accepts or refuses it, now or later. On the channel's loop.
     *
     * @param requests whether the peer will send requests that await answers, and messages that await none
     */
    void opened(Channel channel, boolean requests);

    /** The port is no longer served; what waits is refused. Any thread. */
    void closed();
}
