package io.weir.channel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs that have the name of a class which those who write there do not know. */
final class Logs {

    static final Logger NODE = LoggerFactory.getLogger("io.weir.channel.Node");

    static final Logger PORTS = LoggerFactory.getLogger("io.weir.channel.Ports");

    private Logs() {}
}
