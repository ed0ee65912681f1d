package io.weir.config;

/** What a connection must have before it is used ({@code weir.security.require}). */
public enum Requirement {
    /** Nothing: every process that reaches the port is a peer. */
    NONE,
    /** The other side has proved a shared secret, or owns a certificate that is trusted. */
    AUTHENTICATED,
    /** Moreover nobody on the way can read or change anything, over any path. */
    ENCRYPTED
}
