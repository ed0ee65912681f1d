package io.weir.path;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs that have the name of a class which those who write there do not know. */
public final class Logs {

    public static final Logger NODE = LoggerFactory.getLogger("io.weir.channel.Node");

    public static final Logger PORTS = LoggerFactory.getLogger("io.weir.channel.Ports");

    /** Who has connected from where, what was proved, and why a connection was refused. */
    public static final Logger AUDIT = LoggerFactory.getLogger("io.weir.audit");

    private Logs() {}
}
