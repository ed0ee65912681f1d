package io.weir.transport.dapl;

import io.weir.core.Network;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What adapters are reached by: a {@code struct sockaddr} of one of the kinds that we know. Immutable. */
final class DaplAddress {

    /** As long as the longest kind; what a shorter one leaves is zero. */
    static final int BYTES = 28;

    private static final int INET = 2;
    private static final int INET_BYTES = 16;
    private static final int INET_AT = 4;
    private static final int INET_LENGTH = 4;

    private static final String BROADCAST = "255.255.255.255";

    private static final int INET6 = 10;
    private static final int INET6_AT = 8;
    private static final int INET6_LENGTH = 16;

    private final byte[] bytes;

    private DaplAddress(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Reads one from here on, no more of it than belongs to its kind.
     *
     * @return null if it is of a kind that we don't know
     */
    static @Nullable DaplAddress at(ByteBuffer memory) {
        int family = Byte.toUnsignedInt(memory.get(0));
        if (memory.get(1) != 0 || (family != INET && family != INET6)) {
            return null;
        }
        byte[] bytes = new byte[BYTES];
        memory.get(0, bytes, 0, length(family));
        return new DaplAddress(bytes);
    }

    private static int length(int family) {
        return family == INET ? INET_BYTES : BYTES;
    }

    /** Whether a host can have it, and nothing stands behind it. */
    boolean isOfAHost(byte[] received) {
        InetAddress host = host();
        return Arrays.equals(bytes, received)
                && !host.isAnyLocalAddress()
                && !host.isMulticastAddress()
                && !BROADCAST.equals(host.getHostAddress());
    }

    /**
     * Whether the other one is on a network of the interface that has this address, or on one of these.
     *
     * @param networks those that the configuration names
     */
    boolean reaches(DaplAddress other, List<Network> networks) {
        InetAddress host = other.host();
        return networks.stream().anyMatch(network -> network.holds(host))
                || ownNetworks().anyMatch(network -> network.holds(host));
    }

    private Stream<Network> ownNetworks() {
        try {
            NetworkInterface own = NetworkInterface.getByInetAddress(host());
            return own == null
                    ? Stream.empty()
                    : own.getInterfaceAddresses().stream()
                            .map(each -> Network.read(
                                    each.getAddress().getHostAddress() + '/' + each.getNetworkPrefixLength()))
                            .flatMap(Stream::ofNullable);
        } catch (SocketException e) {
            // Not known, so not allowed.
            return Stream.empty();
        }
    }

    private InetAddress host() {
        boolean isInet = bytes[0] == INET;
        int at = isInet ? INET_AT : INET6_AT;
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, at, at + (isInet ? INET_LENGTH : INET6_LENGTH)));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Writes all of it. */
    ByteBuffer put(ByteBuffer into) {
        return into.put(bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DaplAddress address && Arrays.equals(bytes, address.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** For people. */
    @Override
    public String toString() {
        return host().getHostAddress();
    }
}
