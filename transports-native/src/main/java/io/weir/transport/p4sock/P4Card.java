package io.weir.transport.p4sock;

import io.weir.core.ProtocolMismatch;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a peer knows of us before a link is prepared: {@code 1 little any|02:00:5e:10:00:01,1500,10.0.0.1/24}. The
 * number is the version of the offers that we understand; then come the order of bytes, and for each interface its MAC,
 * MTU and IPv4 addresses.
 *
 * @param order of the bytes in our frames
 * @param named whether the interface was named by an option, so that it need not have an address
 * @param ports our interfaces
 */
record P4Card(ByteOrder order, boolean named, List<Port> ports) {

    /** A host with more has to name one. */
    static final int MOST_PORTS = 8;

    private static final int MOST_SUBNETS = 4;
    private static final String NAMED = "named";
    private static final String ANY = "any";

    /** An interface as the peer knows it. */
    record Port(Mac mac, int mtu, List<Subnet> subnets) {

        Port {
            subnets = List.copyOf(subnets);
        }

        static Port of(EtherInterface each) {
            List<Subnet> all = each.subnets();
            return new Port(each.mac(), each.mtu(), all.subList(0, Math.min(MOST_SUBNETS, all.size())));
        }

        boolean joins(Port other) {
            return subnets.stream().anyMatch(ours -> other.subnets.stream().anyMatch(ours::joins));
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder().append(mac).append(',').append(mtu);
            subnets.forEach(subnet -> text.append(',').append(subnet));
            return text.toString();
        }

        static Port parse(String text) {
            String[] parts = text.split(",", -1);
            List<Subnet> subnets = new ArrayList<>();
            for (int i = 2; i < parts.length; i++) {
                subnets.add(Subnet.parse(parts[i]));
            }
            Port port = new Port(Mac.parse(parts[0]), Integer.parseInt(parts[1]), subnets);
            if (!port.mac.isOfAHost() || subnets.size() > MOST_SUBNETS) {
                throw new IllegalArgumentException("no interface of a host: " + text);
            }
            return port;
        }
    }

    /** Which interfaces to use: of the side that connects, and of the one that accepts. */
    record Pair(Port connecting, Port accepting) {}

    P4Card {
        ports = List.copyOf(ports);
    }

    static P4Card of(List<EtherInterface> interfaces, boolean named) {
        List<Port> ports = interfaces.stream().limit(MOST_PORTS).map(Port::of).toList();
        return new P4Card(ByteOrder.nativeOrder(), named, ports);
    }

    String encode() {
        StringBuilder text =
                new StringBuilder().append(P4Offer.VERSION).append(' ').append(words(order));
        text.append(' ').append(named ? NAMED : ANY);
        ports.forEach(port -> text.append('|').append(port));
        return text.toString();
    }

    private static String words(ByteOrder order) {
        return order == ByteOrder.LITTLE_ENDIAN ? "little" : "big";
    }

    /**
     * Reads a card.
     *
     * @throws ProtocolMismatch if it can't be used
     */
    static P4Card decode(String text) {
        String[] parts = text.split("\\|", -1);
        String[] head = parts[0].split(" ", -1);
        try {
            if (head.length != 3 || parts.length > MOST_PORTS + 1) {
                throw new ProtocolMismatch("a card that is none of ours");
            }
            if (Integer.parseInt(head[0]) != P4Offer.VERSION) {
                throw new ProtocolMismatch("version " + head[0] + " where we have " + P4Offer.VERSION);
            }
            List<Port> ports = new ArrayList<>();
            for (int i = 1; i < parts.length; i++) {
                ports.add(Port.parse(parts[i]));
            }
            return new P4Card(
                    head[1].equals("little") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN,
                    head[2].equals(NAMED),
                    ports);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new ProtocolMismatch("a card that is none of ours: " + e.getMessage(), e);
        }
    }

    /**
     * The interfaces that both sides agree on without a word, since both find the same first pair on one wire.
     *
     * @return null if there is none
     */
    static @Nullable Pair pair(P4Card connecting, P4Card accepting) {
        for (Port near : connecting.ports) {
            for (Port far : accepting.ports) {
                boolean joined = near.joins(far) || (connecting.named && accepting.named);
                if (joined && !near.mac().equals(far.mac())) {
                    return new Pair(near, far);
                }
            }
        }
        return null;
    }

    /** Why the other one is not to be reached, as a sentence, or null if it may be. */
    @Nullable
    String separates(P4Card other) {
        if (order != other.order) {
            return String.format(
                    Locale.ROOT,
                    "its processor is %s-endian and ours is %s-endian, and frames are in the order of both",
                    words(other.order),
                    words(order));
        }
        if (pair(this, other) != null) {
            return null;
        }
        if (ports.stream()
                .anyMatch(
                        ours -> other.ports.stream().anyMatch(port -> port.mac().equals(ours.mac())))) {
            return "it is on the same interface of the same host, to which its own frames do not come back";
        }
        return "it has no interface on a subnet of ours (ours: " + subnets() + "; theirs: " + other.subnets()
                + "), and frames do not pass routers; where a wire joins them nevertheless, set"
                + " weir.transport.p4sock.interface on both sides";
    }

    private String subnets() {
        List<String> all = ports.stream()
                .flatMap(port -> port.subnets().stream())
                .map(Subnet::toString)
                .toList();
        return all.isEmpty() ? "none" : String.join(", ", all);
    }
}
