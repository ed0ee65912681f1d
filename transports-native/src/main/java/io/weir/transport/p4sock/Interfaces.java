package io.weir.transport.p4sock;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which interfaces of this host carry Ethernet frames, and why the others do not. */
final class Interfaces {

    /** {@code linux/sockios.h} and {@code linux/wireless.h}. */
    private static final long SIOCGIFHWADDR = 0x8927;

    private static final long SIOCGIWNAME = 0x8B01;
    private static final int IFREQ = 40;
    private static final int NAME = 16;
    /** {@code linux/if_arp.h}: the kind of the address is Ethernet. */
    private static final int ARPHRD_ETHER = 1;

    private Interfaces() {}

    /**
     * Those that can be used.
     *
     * @param wanted the only one to look at; empty for all
     * @throws PeerUnavailable if there is none, saying why
     */
    static List<EtherInterface> find(String wanted) {
        List<EtherInterface> found = new ArrayList<>();
        List<String> reasons = new ArrayList<>();
        try (Descriptor probe = Posix.socket(LibC.AF_INET, LibC.SOCK_DGRAM, 0)) {
            for (NetworkInterface each : all(wanted)) {
                String reason = refusal(each, probe);
                if (reason == null) {
                    found.add(describe(each));
                } else {
                    reasons.add(each.getName() + " " + reason);
                }
            }
        } catch (NativeFailure | SocketException e) {
            throw new PeerUnavailable("the network interfaces can't be listed: " + e.getMessage(), e);
        }
        if (found.isEmpty()) {
            throw new PeerUnavailable(
                    "no network interface carries Ethernet frames to other hosts: " + String.join("; ", reasons));
        }
        return found;
    }

    private static List<NetworkInterface> all(String wanted) throws SocketException {
        if (wanted.isEmpty()) {
            return Collections.list(NetworkInterface.getNetworkInterfaces());
        }
        NetworkInterface named = NetworkInterface.getByName(wanted);
        if (named == null) {
            throw new PeerUnavailable("there is no network interface " + wanted + " (interface=" + wanted + ")");
        }
        return List.of(named);
    }

    private static @Nullable String refusal(NetworkInterface each, Descriptor probe) throws SocketException {
        if (each.isLoopback()) {
            return "reaches this host only";
        }
        if (!each.isUp()) {
            return "is down";
        }
        byte[] address = each.getHardwareAddress();
        if (each.isPointToPoint()
                || address == null
                || address.length != Mac.BYTES
                || !Mac.of(address).isOfAHost()
                || kind(each.getName(), probe) != ARPHRD_ETHER) {
            return "has no Ethernet";
        }
        if (isWireless(each.getName(), probe)) {
            return "is wireless, which takes no frames but its own";
        }
        if (FrameFormat.payload(each.getMTU(), true) < FrameFormat.SHORTEST) {
            return "has an MTU of " + each.getMTU() + ", which is too short";
        }
        return null;
    }

    private static int kind(String name, Descriptor probe) {
        try {
            ByteBuffer request = request(name);
            int unused = Posix.control("ioctl(SIOCGIFHWADDR)", probe, SIOCGIFHWADDR, request);
            return request.getShort(NAME);
        } catch (NativeFailure e) {
            return -1;
        }
    }

    private static boolean isWireless(String name, Descriptor probe) {
        try {
            return Posix.control("ioctl(SIOCGIWNAME)", probe, SIOCGIWNAME, request(name)) >= 0;
        } catch (NativeFailure e) {
            return false;
        }
    }

    private static ByteBuffer request(String name) {
        return Structures.allocate(IFREQ).put(0, name.getBytes(StandardCharsets.US_ASCII));
    }

    private static EtherInterface describe(NetworkInterface each) throws SocketException {
        List<Subnet> subnets = new ArrayList<>();
        for (InterfaceAddress address : each.getInterfaceAddresses()) {
            if (address.getAddress() instanceof Inet4Address ip) {
                subnets.add(new Subnet(ByteBuffer.wrap(ip.getAddress()).getInt(), address.getNetworkPrefixLength()));
            }
        }
        // As long as it is up it has one: whether it is was asked before.
        byte[] address = Objects.requireNonNull(each.getHardwareAddress());
        return new EtherInterface(each.getName(), each.getIndex(), Mac.of(address), each.getMTU(), subnets);
    }
}
