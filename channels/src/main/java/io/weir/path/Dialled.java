package io.weir.path;

import io.netty.util.NetUtil;
import io.weir.config.NodeDefaults;
import io.weir.config.SecuritySpec;
import io.weir.core.Ends;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the connecting side of a connection has connected to, as it says in its HELLO. Whoever passes a connection on
 * to somebody else has another address than that one has, so the accepting side sees whether it is the one who was
 * meant. Immutable.
 *
 * @param address as it was configured or found, in the form of {@link PeerAddress#toString()}; empty from the accepting
 *     side
 * @param reached the address in figures at which the connection ends, as the kernel knows it; empty if it does not, as
 *     through a gateway
 * @param host which host that is meant of, if the address means another place on every host: the id of its boot; else
 *     empty
 */
public record Dialled(String address, String reached, String host) {

    /** Nothing, as the accepting side says it. */
    public static final Dialled NOTHING = new Dialled("", "", "");

    /** By whoever runs on this host, over this connection. */
    static Dialled of(PeerAddress address, Ends ends, String bootId) {
        InetSocketAddress far = ends.far();
        boolean local = address.isUnix() || (far != null && far.getAddress().isLoopbackAddress());
        return new Dialled(address.toString(), far == null ? "" : figures(far), local ? bootId : "");
    }

    /**
     * Whether it is an address of a node.
     *
     * @param ends of the node's side of the connection
     * @param listening where the node listens, with the ports really bound
     * @param advertised what the configuration says of where others reach it
     * @param bootId of the node's host
     */
    public boolean leadsTo(Ends ends, List<PeerAddress> listening, List<PeerAddress> advertised, String bootId) {
        InetSocketAddress near = ends.near();
        boolean here = host.equals(bootId);
        if (near != null
                && reached.equals(figures(near))
                && (here || !near.getAddress().isLoopbackAddress())) {
            return true;
        }
        Optional<PeerAddress> said = parsed();
        if (said.isEmpty()) {
            return false;
        }
        PeerAddress meant = said.get();
        boolean direct = near != null || ends.user() >= 0;
        return advertised.stream().anyMatch(each -> isSame(each, meant))
                || listening.stream().anyMatch(each -> direct ? isNamed(each, meant, here) : isReached(each, meant));
    }

    private Optional<PeerAddress> parsed() {
        try {
            return Optional.of(PeerAddress.parse(address));
        } catch (Misconfigured e) {
            return Optional.empty();
        }
    }

    /** What the figures do not show: a name, behind an address translation, and a path. */
    private static boolean isNamed(PeerAddress listening, PeerAddress meant, boolean here) {
        return listening.isAnyHost()
                ? isOfThisHost(listening, meant)
                : isSame(listening, meant) && (meant.isUnix() ? here : !SecuritySpec.staysOnHost(meant));
    }

    /**
     * The last gateway has connected: only what it was to connect to is known, and which host it has meant by 127.0.0.1
     * is not.
     */
    private static boolean isReached(PeerAddress listening, PeerAddress meant) {
        return listening.isAnyHost()
                ? isOfThisHost(listening, meant) || (listening.port() == meant.port() && isInterface(meant.host()))
                : isSame(listening, meant);
    }

    private static boolean isOfThisHost(PeerAddress listening, PeerAddress meant) {
        return isSame(new PeerAddress(NodeDefaults.name(), listening.port()), meant);
    }

    private static boolean isSame(PeerAddress one, PeerAddress other) {
        return one.port() == other.port()
                && (one.isUnix() ? one.host().equals(other.host()) : one.host().equalsIgnoreCase(other.host()));
    }

    private static boolean isInterface(String host) {
        byte[] figures = NetUtil.createByteArrayFromIpAddressString(host);
        try {
            return figures != null && NetworkInterface.getByInetAddress(InetAddress.getByAddress(figures)) != null;
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }

    /** Without what names an interface of one host only. */
    public static String figures(InetSocketAddress socket) {
        InetAddress plain = plain(socket.getAddress());
        return plain == null ? "" : new PeerAddress(plain.getHostAddress(), socket.getPort()).toString();
    }

    private static @Nullable InetAddress plain(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
