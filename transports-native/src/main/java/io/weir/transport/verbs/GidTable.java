package io.weir.transport.verbs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The GIDs of a port on Ethernet, as the system shows them in files. libibverbs tells the GIDs as well, but not which
 * of them belong to RoCE v2.
 *
 * @param folder of the port: {@code /sys/class/infiniband/<device>/ports/<port>}
 * @param length how many places the table has
 */
record GidTable(Path folder, int length) {

    /**
     * One place of the table.
     *
     * @param net what two ports have in common that reach each other
     */
    record Entry(int index, Gid gid, String net) {

        private static final String V2_IPV4 = "v2-ipv4";
        private static final String V2_IPV6 = "v2-ipv6";
        private static final String V2_LOCAL = "v2-local";
        private static final String V1 = "v1";

        static Entry of(int index, Gid gid, boolean version2) {
            return new Entry(index, gid, version2 ? version2Net(gid) : V1);
        }

        private static String version2Net(Gid gid) {
            if (gid.isIpv4()) {
                return V2_IPV4;
            }
            return gid.isLinkLocal() ? V2_LOCAL : V2_IPV6;
        }

        boolean isBest() {
            return net.equals(V2_IPV4);
        }

        /**
         * Packets of v2 pass routers; addresses of IPv4 are those that administrators know; link-local ones are
         * ambiguous.
         */
        int rank() {
            return switch (net) {
                case V2_IPV4 -> 3;
                case V2_IPV6 -> 2;
                case V2_LOCAL -> 1;
                default -> 0;
            };
        }
    }

    static GidTable of(String device, int port, int length) {
        return new GidTable(Path.of("/sys/class/infiniband", device, "ports", Integer.toString(port)), length);
    }

    /** The one to be reached by, or null if the port has none. Of equals, the first. */
    @Nullable
    Entry best() {
        Entry best = null;
        for (int index = 0; index < length; index++) {
            Entry entry = entry(index);
            if (entry != null && (best == null || entry.rank() > best.rank())) {
                best = entry;
                if (entry.isBest()) {
                    break;
                }
            }
        }
        return best;
    }

    /** What stands in this place, or null if nothing does. */
    @Nullable
    Entry entry(int index) {
        try {
            Gid gid = Gid.parse(read("gids", index));
            return gid.isZero()
                    ? null
                    : Entry.of(index, gid, read("gid_attrs/types", index).contains("v2"));
        } catch (IOException | IllegalArgumentException e) {
            // Reading the type of an empty place is an error.
            return null;
        }
    }

    private String read(String kind, int index) throws IOException {
        return Files.readString(folder.resolve(kind).resolve(Integer.toString(index)), StandardCharsets.US_ASCII)
                .trim();
    }
}
