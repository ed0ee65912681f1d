package io.weir.channel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of a node. It has the node's name, also where no node is known. */
final class Logs {

    static final Logger NODE = LoggerFactory.getLogger("io.weir.channel.Node");

    private Logs() {}
}
