package io.weir.transport.tcp;

import io.netty.util.NetUtil;
import io.weir.core.Misconfigured;
import io.weir.core.Network;
import io.weir.core.PeerAddress;
import io.weir.core.TlsSpec;
import io.weir.core.TransportSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code weir.transport.tcp}.
 *
 * @param noDelay whether small writes leave at once (TCP_NODELAY)
 * @param sendBuffer the kernel's buffer in bytes, 0 for what the system chooses
 * @param receiveBuffer as {@code sendBuffer}
 * @param connectTimeout how long connecting may take
 * @param userTimeout how long the other host may leave what was sent without an answer until it counts as unreachable
 *     (TCP_USER_TIMEOUT)
 * @param linger how long a closing link waits for a peer that does not read
 * @param tlsHandshakes TLS handshakes of accepted connections that may be under way at once; one more, and the oldest
 *     is closed
 * @param highWater bytes that wait for the kernel's buffer until the link says no
 * @param dataAddress where links of our accepting side are connected to, null for the bootstrap connection
 * @param dataNetworks where the data addresses of peers may be, besides where we have connected to
 * @param tls how connections over TCP are protected
 */
record TcpOptions(
        boolean noDelay,
        int sendBuffer,
        int receiveBuffer,
        Duration connectTimeout,
        Duration userTimeout,
        Duration linger,
        int tlsHandshakes,
        int highWater,
        @Nullable PeerAddress dataAddress,
        List<Network> dataNetworks,
        TlsSpec tls) {

    static final Set<String> NAMES = Set.of(
            "no-delay",
            "send-buffer",
            "receive-buffer",
            "connect-timeout",
            "user-timeout",
            "linger",
            "tls-handshakes",
            "high-water",
            "data-address",
            "data-networks");

    /** On: the loop gathers what one turn offers anyway, and waiting for acknowledgements on top costs up to 40 ms. */
    static final boolean NO_DELAY = true;

    /** 0: Linux sizes both buffers by what the connection needs, up to several MiB; a fixed size switches that off. */
    static final int SYSTEM_BUFFER = 0;

    static final int MOST_BUFFER = 64 << 20;

    /** Linux repeats a lost SYN after 1 and 3 seconds: this allows for both. */
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** Five repetitions of what was sent are lost then; a network that heals by itself does so before, mostly. */
    static final Duration USER_TIMEOUT = Duration.ofSeconds(10);

    /** A peer that lives reads within this time; a longer wait only keeps memory for one that does not. */
    static final Duration LINGER = Duration.ofSeconds(5);

    /** As many as a node handshakes with at once by default; a peer that lives needs a few round trips for one. */
    static final int TLS_HANDSHAKES = 256;

    /** 512 KiB: what 100 Gbit/s carry in 40 us, and eight of the longest frames; the kernel's buffer comes on top. */
    static final int HIGH_WATER = 512 << 10;

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /**
     * Reads and checks the options.
     *
     * @throws Misconfigured naming the option and the remedy
     */
    static TcpOptions of(TransportSettings settings) {
        return new TcpOptions(
                settings.flag("no-delay", NO_DELAY),
                settings.size("send-buffer", SYSTEM_BUFFER, 4 << 10, MOST_BUFFER),
                settings.size("receive-buffer", SYSTEM_BUFFER, 4 << 10, MOST_BUFFER),
                settings.time("connect-timeout", CONNECT_TIMEOUT, SHORTEST, LONGEST),
                settings.time("user-timeout", USER_TIMEOUT, Duration.ofMillis(100), LONGEST),
                settings.time("linger", LINGER, SHORTEST, LONGEST),
                settings.size("tls-handshakes", TLS_HANDSHAKES, 1, 64 << 10),
                settings.size("high-water", HIGH_WATER, 64 << 10, 1 << 30),
                dataAddress(settings.options().get("data-address")),
                settings.networks("data-networks"),
                settings.tls());
    }

    private static @Nullable PeerAddress dataAddress(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            PeerAddress address = PeerAddress.parse(text);
            if (!address.isUnix() && address.port() == 0 && isReachable(address.host())) {
                return address;
            }
        } catch (Misconfigured e) {
            // What is asked for is narrower than what any address may be.
        }
        throw new Misconfigured("data-address=" + text + " can't be used: write an IP address of this host that the"
                + " peers reach, with port 0 (each link gets a port of its own), such as tcp://10.1.0.5:0");
    }

    private static boolean isReachable(String host) {
        InetAddress address = literal(host);
        return address != null && !address.isAnyLocalAddress() && !address.isMulticastAddress();
    }

    /** The address that this text is, without asking anyone; null if it is a name. */
    static @Nullable InetAddress literal(String host) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
        if (bytes == null) {
            return null;
        }
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(bytes.length + " bytes are no address", e);
        }
    }
}
