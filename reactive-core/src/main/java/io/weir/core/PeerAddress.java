package io.weir.core;

import java.util.Objects;
import java.util.regex.Pattern;

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
    private static final Pattern HOST = Pattern.compile("[^\\p{Z}\\p{C}/\\[\\]]+");
    /** What only an address of IPv6 can be, perhaps with its zone. */
    private static final Pattern FIGURES = Pattern.compile("[\\p{XDigit}:][\\p{XDigit}:.]*(%.+)?");

    private static final Pattern PORT = Pattern.compile("[0-9]{1,9}");

    public PeerAddress {
        Objects.requireNonNull(host, "host");
        if (port < -1 || port > 65_535) {
            throw new Misconfigured(
                    "port " + port + " of " + ForeignText.harmless(host) + " is out of range: 0 to 65535");
        }
        if (port == -1) {
            checkPath(host);
        } else {
            checkHost(host);
        }
    }

    private static void checkPath(String path) {
        if (path.isBlank() || path.chars().anyMatch(Character::isISOControl)) {
            throw new Misconfigured(
                    "'" + ForeignText.harmless(path) + "' is not the path of a socket: write unix:/path");
        }
    }

    private static void checkHost(String host) {
        // No name has colons: one that had would be looked up, where a literal is expected.
        if (!HOST.matcher(host).matches()
                || (host.indexOf(':') >= 0 && !FIGURES.matcher(host).matches())) {
            throw new Misconfigured(
                    "'" + ForeignText.harmless(host) + "' is not a host: write tcp://host:port or tcp://[ipv6]:port");
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
        String port = rest.substring(colon + 1);
        if (!PORT.matcher(port).matches()) {
            throw malformed(text);
        }
        return new PeerAddress(host, Integer.parseInt(port));
    }

    private static Misconfigured malformed(String text) {
        return new Misconfigured("'" + ForeignText.harmless(text)
                + "' is not a peer's address: write tcp://host:port, host:port," + " tcp://[ipv6]:port or unix:/path");
    }

    /** Whether this is a Unix-domain socket. */
    public boolean isUnix() {
        return port < 0;
    }

    /** Whether it stands for all addresses of a host, which one may listen at and not connect to. */
    public boolean isAnyHost() {
        return !isUnix() && (host.equals("0.0.0.0") || host.matches("[0:]*:[0:]*"));
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
