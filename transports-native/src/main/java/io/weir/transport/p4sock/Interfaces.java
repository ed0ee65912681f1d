package io.weir.transport.p4sock;

import io.weir.core.PeerUnavailable;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.LibC;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which interfaces of this host carry Ethernet frames, and why the others do not. The kernel is asked, as the JDK knows
 * only interfaces with an IP address, and frames need none.
 */
final class Interfaces {

    /** {@code linux/sockios.h} and {@code linux/wireless.h}. */
    private static final long SIOCGIFFLAGS = 0x8913;

    private static final long SIOCGIFMTU = 0x8921;
    private static final long SIOCGIFHWADDR = 0x8927;
    private static final long SIOCGIFINDEX = 0x8933;
    private static final long SIOCGIWNAME = 0x8B01;

    /** {@code struct ifreq}: the name, ended by a zero, and behind it what is asked. */
    private static final int IFREQ = 40;

    private static final int NAME = 16;
    /** {@code struct sockaddr}: the address lies behind its kind. */
    private static final int ADDRESS = NAME + Short.BYTES;
    /** {@code linux/if_arp.h}: the kind of the address is Ethernet. */
    private static final int ARPHRD_ETHER = 1;

    /** {@code linux/if.h}. Whether it is running says that there is a carrier: a cable, or somebody on its bridge. */
    private static final int IFF_UP = 1;

    private static final int IFF_LOOPBACK = 1 << 3;
    private static final int IFF_POINTOPOINT = 1 << 4;
    private static final int IFF_RUNNING = 1 << 6;

    /** Of the network namespace of this process; lines of titles, and one for each: {@code eth0: ...}. */
    private static final Path LIST = Path.of("/proc/self/net/dev");

    private static final String NOT_THERE = "is not there";

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
            Map<String, List<Subnet>> subnets = subnets(wanted);
            for (String each : wanted.isEmpty() ? all() : List.of(wanted)) {
                List<Subnet> its = subnets.getOrDefault(each, List.of());
                String reason = examine(each, !wanted.isEmpty(), its, probe, found);
                if (reason != null) {
                    reasons.add(each + " " + reason);
                }
            }
        } catch (IOException e) {
            throw new PeerUnavailable("the network interfaces can't be listed: " + e.getMessage(), e);
        }
        if (found.isEmpty()) {
            throw new PeerUnavailable(
                    "no network interface carries Ethernet frames to other hosts: " + String.join("; ", reasons));
        }
        return found;
    }

    /** Bytes that are no text are kept as they are. */
    private static List<String> all() throws IOException {
        return Files.readAllLines(LIST, StandardCharsets.ISO_8859_1).stream()
                .filter(line -> line.contains(":"))
                .map(line -> line.substring(0, line.lastIndexOf(':')).strip())
                .toList();
    }

    /** The IPv4 addresses of this interface, or of all. */
    private static Map<String, List<Subnet>> subnets(String wanted) throws SocketException {
        Stream<NetworkInterface> all = wanted.isEmpty()
                ? NetworkInterface.networkInterfaces()
                : Stream.ofNullable(NetworkInterface.getByName(wanted));
        return all.collect(Collectors.toMap(NetworkInterface::getName, Interfaces::subnets, (one, other) -> one));
    }

    private static List<Subnet> subnets(NetworkInterface of) {
        List<Subnet> subnets = new ArrayList<>();
        for (InterfaceAddress address : of.getInterfaceAddresses()) {
            if (address.getAddress() instanceof Inet4Address ip) {
                subnets.add(new Subnet(ByteBuffer.wrap(ip.getAddress()).getInt(), address.getNetworkPrefixLength()));
            }
        }
        return subnets;
    }

    /**
     * Adds it to those that were found; or says why it can't be used.
     *
     * @param named whether it is the one that is wanted: then it needs no address by which both sides know the wire
     */
    private static @Nullable String examine(
            String name, boolean named, List<Subnet> subnets, Descriptor probe, List<EtherInterface> found)
            throws NativeFailure {
        // A longer name is that of no interface; cut off, it could be another one's.
        if (bytes(name).length >= NAME) {
            return NOT_THERE;
        }
        try {
            int flags = ask(name, "SIOCGIFFLAGS", SIOCGIFFLAGS, probe).getShort(NAME);
            if ((flags & IFF_LOOPBACK) != 0) {
                return "reaches this host only";
            }
            if ((flags & IFF_UP) == 0) {
                return "is down";
            }
            if ((flags & IFF_RUNNING) == 0) {
                return "has no carrier";
            }
            ByteBuffer address = ask(name, "SIOCGIFHWADDR", SIOCGIFHWADDR, probe);
            Mac mac = mac(address);
            if ((flags & IFF_POINTOPOINT) != 0 || address.getShort(NAME) != ARPHRD_ETHER || !mac.isOfAHost()) {
                return "has no Ethernet";
            }
            if (isWireless(name, probe)) {
                return "is wireless, which takes no frames but its own";
            }
            int mtu = ask(name, "SIOCGIFMTU", SIOCGIFMTU, probe).getInt(NAME);
            if (FrameFormat.payload(mtu, true) < FrameFormat.SHORTEST) {
                return "has an MTU of " + mtu + ", which is too short";
            }
            if (!named && subnets.isEmpty()) {
                return "has no IPv4 address, and is not named (interface=" + name + ")";
            }
            int index = ask(name, "SIOCGIFINDEX", SIOCGIFINDEX, probe).getInt(NAME);
            found.add(new EtherInterface(name, index, mac, mtu, subnets));
            return null;
        } catch (NativeFailure e) {
            if (e.error() == LibC.ENODEV) {
                return NOT_THERE;
            }
            throw e;
        }
    }

    private static Mac mac(ByteBuffer address) {
        byte[] bytes = new byte[Mac.BYTES];
        address.get(ADDRESS, bytes);
        return Mac.of(bytes);
    }

    private static boolean isWireless(String name, Descriptor probe) {
        try {
            var unused = ask(name, "SIOCGIWNAME", SIOCGIWNAME, probe);
            return true;
        } catch (NativeFailure e) {
            return false;
        }
    }

    private static ByteBuffer ask(String name, String call, long request, Descriptor probe) throws NativeFailure {
        ByteBuffer answer = Structures.allocate(IFREQ).put(0, bytes(name));
        var unused = Posix.control("ioctl(" + call + ")", probe, request, answer);
        return answer;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.ISO_8859_1);
    }
}
