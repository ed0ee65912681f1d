package io.weir.core;

import java.util.Objects;

/**
 * Where a node listens: {@code tcp://host:port}, {@code host:port} (the same), {@code tcp://[::1]:port}, or
 * {@code unix:/path/of/socket} on one host.
 *
 * @param host host name or address, without brackets; the socket's path for {@code unix:}
 * @param port 0 to 65535, 0 meaning "any free one" when listening; -1 for {@code unix:}
 */
public record PeerAddress(String host, int port) {

    private static final String TCP = "tcp://";
    private static final String UNIX = "unix:";

    public PeerAddress {
        Objects.requireNonNull(host, "host");
        if (host.isBlank()) {
            throw new Misconfigured("a peer's address needs a host: write tcp://host:port");
        }
        if (port < -1 || port > 65_535) {
            throw new Misconfigured("port " + port + " of " + host + " is out of range: 0 to 65535");
        }
    }

    /**
     * Reads one of the forms above.
     *
     * @throws Misconfigured naming the text and the accepted forms
     */
    public static PeerAddress parse(String text) {
        if (text.startsWith(UNIX)) {
            return new PeerAddress(text.substring(UNIX.length()), -1);
        }
        String rest = text.startsWith(TCP) ? text.substring(TCP.length()) : text;
        int colon = rest.lastIndexOf(':');
        boolean bracketed = rest.startsWith("[") && colon > 0 && rest.charAt(colon - 1) == ']';
        if (colon <= 0 || rest.contains("/") || (!bracketed && rest.indexOf(':') != colon)) {
            throw malformed(text);
        }
        String host = bracketed ? rest.substring(1, colon - 1) : rest.substring(0, colon);
        try {
            int port = Integer.parseInt(rest.substring(colon + 1));
            if (port < 0) {
                throw malformed(text);
            }
            return new PeerAddress(host, port);
        } catch (NumberFormatException e) {
            throw malformed(text);
        }
    }

    private static Misconfigured malformed(String text) {
        return new Misconfigured("'" + text + "' is not a peer's address: write tcp://host:port, host:port,"
                + " tcp://[ipv6]:port or unix:/path");
    }

    /** Whether this is a Unix-domain socket. */
    public boolean isUnix() {
        return port < 0;
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        if (isUnix()) {
            return UNIX + host;
        }
        return TCP + (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port;
    }
}
