package io.weir.transport.p4sock;

import java.util.List;

/**
 * A network interface that has Ethernet frames.
 *
 * @param name as the system has it
 * @param index by which the system knows it
 * @param mtu the longest payload of its frames, behind Ethernet's header
 * @param subnets its IPv4 addresses
 */
record EtherInterface(String name, int index, Mac mac, int mtu, List<Subnet> subnets) {

    EtherInterface {
        subnets = List.copyOf(subnets);
    }

    /** Bytes of a frame at most, with Ethernet's header. */
    int frameBytes() {
        return mtu + FrameFormat.ETHER;
    }

    @Override
    public String toString() {
        return name + (subnets.isEmpty() ? "" : " " + subnets.get(0)) + " (" + mac + ", MTU " + mtu + ")";
    }
}
