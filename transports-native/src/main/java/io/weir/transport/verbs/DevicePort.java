package io.weir.transport.verbs;

import io.weir.core.Availability;

/**
 * The port that we use, as it was when it was looked at.
 *
 * @param device the name of its device
 * @param number its number there
 * @param lid what it is reached by on InfiniBand; 0 on Ethernet
 * @param gid what it is reached by on Ethernet
 * @param gidIndex where that stands in the port's table
 * @param net what two ports have in common that reach each other: the subnet of InfiniBand, or the kind of GID
 * @param mtu the longest packet, as libibverbs numbers it: 1 for 256 bytes, to 5 for 4096
 */
record DevicePort(String device, int number, LinkLayer layer, int lid, Gid gid, int gidIndex, String net, int mtu) {

    VerbsCard card() {
        return new VerbsCard(layer, net);
    }

    /** That it can be used. */
    Availability.Ready ready() {
        return new Availability.Ready(card().encode(), toString());
    }

    @Override
    public String toString() {
        String address = layer == LinkLayer.INFINIBAND ? "LID " + lid : "GID " + gidIndex + " " + gid;
        return device + " port " + number + " (" + address + ")";
    }
}
