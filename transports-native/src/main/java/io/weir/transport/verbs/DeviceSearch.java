package io.weir.transport.verbs;

import static io.weir.transport.verbs.VerbsLibrary.done;
import static io.weir.transport.verbs.VerbsLibrary.freed;
import static io.weir.transport.verbs.VerbsLibrary.functions;
import static io.weir.transport.verbs.VerbsLibrary.made;

import io.weir.core.PeerUnavailable;
import io.weir.core.WeirException;
import io.weir.transport.nativelib.Posix;
import io.weir.transport.nativelib.Structures;
import io.weir.transport.verbs.VerbsLayout.DeviceAttributes;
import io.weir.transport.verbs.VerbsLayout.PortAttributes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the first device and port that can be used and are what was chosen. It keeps why the others are not. */
final class DeviceSearch {

    private static final int NO_DRIVER = 38;

    private final VerbsOptions.Choice choice;
    private final List<String> refused = new ArrayList<>();

    /**
     * A device that was opened.
     *
     * @param context what the library knows it by; whoever is given this closes it
     */
    record Found(long context, DeviceLimits limits, DevicePort port) {}

    private DeviceSearch(VerbsOptions.Choice choice) {
        this.choice = choice;
    }

    /**
     * Opens the first that can be used. Takes milliseconds.
     *
     * @throws PeerUnavailable naming what is missing, and the remedy
     */
    static Found open(VerbsOptions.Choice choice) {
        return new DeviceSearch(choice).open();
    }

    private Found open() {
        ByteBuffer count = Structures.allocate(Integer.BYTES);
        long list = functions().ibv_get_device_list(count);
        if (list == 0) {
            throw noList(Posix.lastError());
        }
        try {
            return first(Structures.at(list, count.getInt(0) * Long.BYTES));
        } finally {
            functions().ibv_free_device_list(list);
        }
    }

    private static PeerUnavailable noList(int error) {
        if (error == NO_DRIVER) {
            return new PeerUnavailable(VerbsLibrary.NO_DEVICES);
        }
        return VerbsLibrary.refused("the RDMA devices can't be listed", error, "");
    }

    private Found first(ByteBuffer list) {
        List<String> names = new ArrayList<>();
        while (list.hasRemaining()) {
            long device = list.getLong();
            String name = functions().ibv_get_device_name(device);
            names.add(name);
            if (choice.device().equals(VerbsOptions.ANY_DEVICE)
                    || choice.device().equals(name)) {
                Found found = tryDevice(device, name);
                if (found != null) {
                    return found;
                }
            }
        }
        if (!refused.isEmpty()) {
            throw new PeerUnavailable(String.join("; ", refused));
        }
        if (names.isEmpty()) {
            throw new PeerUnavailable("the system has no RDMA device; for one in software on an Ethernet interface:"
                    + " rdma link add rxe0 type rxe netdev <interface>");
        }
        throw new PeerUnavailable("there is no RDMA device " + choice.device() + ", but " + String.join(", ", names)
                + "; set weir.transport.verbs.device");
    }

    private @Nullable Found tryDevice(long device, String name) {
        try {
            long context = made(
                    "the device " + name + " can't be opened",
                    functions().ibv_open_device(device),
                    "; the process needs to read and write /dev/infiniband/uverbs*");
            try {
                return look(context, name);
            } catch (WeirException e) {
                freed("the device " + name, functions().ibv_close_device(context));
                throw e;
            }
        } catch (WeirException e) {
            refused.add(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private Found look(long context, String name) {
        ByteBuffer attributes = Structures.allocate(DeviceAttributes.BYTES);
        done("the device " + name + " can't be asked", functions().ibv_query_device(context, attributes));
        int ports = Byte.toUnsignedInt(attributes.get(DeviceAttributes.PORTS));
        if (choice.port() > ports) {
            throw new PeerUnavailable("the device " + name + " has no port " + choice.port() + ", but " + ports
                    + "; set weir.transport.verbs.port");
        }
        return new Found(context, DeviceLimits.of(attributes), activePort(context, name, ports));
    }

    private DevicePort activePort(long context, String name, int ports) {
        if (choice.port() != VerbsOptions.ANY) {
            return port(context, name, choice.port(), choice.gidIndex());
        }
        List<String> reasons = new ArrayList<>();
        for (int number = 1; number <= ports; number++) {
            try {
                return port(context, name, number, choice.gidIndex());
            } catch (WeirException e) {
                reasons.add(String.valueOf(e.getMessage()));
            }
        }
        throw new PeerUnavailable(
                reasons.isEmpty() ? "the device " + name + " has no port" : String.join("; ", reasons));
    }

    /**
     * Looks at a port.
     *
     * @param gidIndex the place of the GID, or {@link VerbsOptions#ANY}
     * @throws PeerUnavailable if it can't be used, saying why
     */
    static DevicePort port(long context, String device, int number, int gidIndex) {
        String what = device + " port " + number;
        ByteBuffer attributes = Structures.allocate(PortAttributes.BYTES);
        done(what + " can't be asked", functions().ibv_query_port(context, (byte) number, attributes));
        if (attributes.getInt(PortAttributes.STATE) != PortAttributes.ACTIVE) {
            throw new PeerUnavailable(
                    what + " is not active: look at its cable, or at its network interface (ip link)");
        }
        LinkLayer layer = LinkLayer.ofPort(attributes.get(PortAttributes.LINK_LAYER));
        int mtu = attributes.getInt(PortAttributes.ACTIVE_MTU);
        if (layer == LinkLayer.INFINIBAND) {
            int lid = Short.toUnsignedInt(attributes.getShort(PortAttributes.LID));
            if (lid == 0) {
                throw new PeerUnavailable(what + " has no LID: the subnet has no manager (opensm)");
            }
            Gid gid = gid(context, number, 0, what);
            return new DevicePort(device, number, layer, lid, gid, 0, subnet(gid), mtu);
        }
        if (layer == LinkLayer.ROCE) {
            GidTable.Entry entry = entry(context, device, number, gidIndex, attributes.getInt(PortAttributes.GIDS));
            return new DevicePort(device, number, layer, 0, entry.gid(), entry.index(), entry.net(), mtu);
        }
        throw new PeerUnavailable(what + " has a link layer that we don't know");
    }

    private static String subnet(Gid gid) {
        return gid.toString().substring(0, VerbsLayout.GID_BYTES);
    }

    private static GidTable.Entry entry(long context, String device, int number, int chosen, int length) {
        String what = device + " port " + number;
        GidTable table = GidTable.of(device, number, length);
        if (chosen == VerbsOptions.ANY) {
            GidTable.Entry best = table.best();
            if (best == null) {
                throw new PeerUnavailable(what + " has no GID: give its network interface an address (ip address add)");
            }
            return best;
        }
        GidTable.Entry entry = table.entry(chosen);
        if (entry != null) {
            return entry;
        }
        // Without the system's files it is still known to the library, and hardly any network uses v1.
        Gid gid = chosen < length ? gid(context, number, chosen, what) : new Gid(0, 0);
        if (gid.isZero()) {
            throw new PeerUnavailable(what + " has no GID " + chosen + "; set weir.transport.verbs.gid-index");
        }
        return GidTable.Entry.of(chosen, gid, true);
    }

    private static Gid gid(long context, int port, int index, String what) {
        ByteBuffer gid = Structures.allocate(VerbsLayout.GID_BYTES);
        int result = functions().ibv_query_gid(context, (byte) port, index, gid);
        if (result != 0) {
            throw VerbsLibrary.refused(what + " does not tell its GID " + index, Posix.lastError(), "");
        }
        return Gid.at(gid, 0);
    }
}
