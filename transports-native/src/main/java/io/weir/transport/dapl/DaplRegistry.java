package io.weir.transport.dapl;

import io.weir.core.PeerUnavailable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The registry of uDAPL, which says which adapters there are: {@code /etc/dat.conf}, or the file that
 * {@code DAT_OVERRIDE} names. It is read here as libdat2 does not tell of adapters of other versions, nor whose
 * providers they are.
 *
 * @param file where it was read
 * @param entries those of uDAPL 2, in its order
 * @param older how many are of uDAPL 1
 */
record DaplRegistry(Path file, List<Entry> entries, int older) {

    /** What it is named by in the environment. */
    static final String OVERRIDE = "DAT_OVERRIDE";

    private static final String RDMA_CM = "rdma-cm";
    private static final String SOCKETS = "sockets";
    private static final String DATAGRAMS = "datagrams";
    private static final String MCM = "mcm";

    private static final Path USUAL = Path.of("/etc/dat.conf");

    private static final long LONGEST = 1 << 20;

    /** Where the system shows its devices and its network interfaces. */
    private static final Path SYSTEM = Path.of("/sys/class");

    /** Packages of providers bring registries with a line for each adapter that there ever was. */
    private static final int NAMED = 8;

    /** A word, or what stands in quotes. */
    private static final Pattern FIELD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}");

    /** Of IPv4 or IPv6. */
    private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-fA-F]*:[0-9a-fA-F:.]*");

    /** Another minor version would not be found when it is opened. */
    private static final String VERSION = "u" + DaplLayout.MAJOR + "." + DaplLayout.MINOR;

    private static final String OLDER = "u1.";

    private static final String SAFE = "threadsafe";
    private static final String UNSAFE = "nonthreadsafe";

    /** The name, the version, whether it is thread-safe, whether it is the default, the library. */
    private static final int LEAST_FIELDS = 5;

    /** Behind the library's version. */
    private static final int PARAMETERS = 6;

    /**
     * One adapter.
     *
     * @param name what it is opened by
     * @param safe whether several threads may call for it at the same time
     * @param kind how its provider connects: only equal ones find each other
     * @param device what it is an adapter of, the first word of what its provider gets; empty if there is none
     */
    record Entry(String name, boolean safe, String kind, String device) {

        /**
         * Whether its provider can find the device: to open one without makes it complain on the standard output, and
         * ask name servers.
         */
        boolean isThere(Path system) {
            return switch (kind) {
                case RDMA_CM -> ADDRESS.matcher(device).matches() || has(system, "net");
                case SOCKETS, DATAGRAMS, MCM -> has(system, "infiniband");
                default -> true;
            };
        }

        private boolean has(Path system, String kindOfDevice) {
            return !device.isEmpty()
                    && !device.contains("/")
                    && Files.exists(system.resolve(kindOfDevice).resolve(device));
        }
    }

    /**
     * Reads it from where the library would.
     *
     * @throws PeerUnavailable if there is none, saying what to do
     */
    static DaplRegistry read() {
        String override = System.getenv(OVERRIDE);
        return read(override == null ? USUAL : Path.of(override));
    }

    static DaplRegistry read(Path file) {
        List<String> lines;
        try {
            // A device or a pipe might never end.
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw new IOException("it is not a file");
            }
            if (Files.size(file) > LONGEST) {
                throw new PeerUnavailable("the registry of uDAPL, " + file + ", is longer than " + LONGEST + " bytes");
            }
            // Whatever stands in its comments.
            lines = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                    .lines()
                    .toList();
        } catch (NoSuchFileException e) {
            throw new PeerUnavailable(
                    "there is no registry of uDAPL, " + file + ": install a provider, as Debian's libdapl2, and name an"
                            + " adapter there, or say in " + OVERRIDE + " where it is",
                    e);
        } catch (IOException e) {
            throw new PeerUnavailable("the registry of uDAPL, " + file + ", can't be read: " + e, e);
        }
        List<Entry> entries = new ArrayList<>();
        int older = 0;
        for (String line : lines) {
            List<String> fields = fields(line);
            boolean sound = fields.size() >= LEAST_FIELDS
                    && NAME.matcher(fields.get(0)).matches()
                    && (fields.get(2).equals(SAFE) || fields.get(2).equals(UNSAFE));
            if (sound && fields.get(1).equals(VERSION)) {
                String parameters =
                        fields.size() > PARAMETERS ? fields.get(PARAMETERS).trim() : "";
                boolean safe = fields.get(2).equals(SAFE);
                entries.add(new Entry(
                        fields.get(0), safe, kind(fields.get(4)), parameters.split("\\s", 2)[0]));
            } else if (sound && fields.get(1).startsWith(OLDER)) {
                older++;
            }
        }
        return new DaplRegistry(file, List.copyOf(entries), older);
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        for (Matcher field = FIELD.matcher(line); field.find(); ) {
            fields.add(field.group(1) == null ? field.group(2) : field.group(1));
        }
        // A comment begins with a word that is no name.
        return fields;
    }

    /** The libraries of OFED's providers are named by how they connect. */
    private static String kind(String library) {
        String name = library.substring(library.lastIndexOf('/') + 1);
        if (name.startsWith("libdaplofa") || name.startsWith("libdaplcma")) {
            return RDMA_CM;
        } else if (name.startsWith("libdaploscm")) {
            return SOCKETS;
        } else if (name.startsWith("libdaploucm")) {
            return DATAGRAMS;
        } else if (name.startsWith("libdaplomcm")) {
            return MCM;
        }
        String plain = name.replaceAll("[^A-Za-z0-9-]", "-");
        return plain.substring(0, Math.min(plain.length(), DaplCard.LONGEST_KIND));
    }

    /**
     * The adapters to try, in this order.
     *
     * @param wanted the only one that may be used; empty if all may
     * @throws PeerUnavailable if there is none, saying what to do
     */
    List<Entry> candidates(String wanted) {
        return candidates(wanted, SYSTEM);
    }

    List<Entry> candidates(String wanted, Path system) {
        if (entries.isEmpty()) {
            throw new PeerUnavailable(
                    older > 0
                            ? file
                                    + " names adapters of uDAPL 1 only, which is not supported: install a "
                                    + "provider of uDAPL 2"
                            : file
                                    + " names no adapter of uDAPL: each line has a name, u2.0, nonthreadsafe, "
                                    + "default, and the"
                                    + " provider's library, version and parameters");
        }
        List<Entry> named = entries.stream()
                .filter(entry -> wanted.isEmpty() || entry.name().equals(wanted))
                .toList();
        if (named.isEmpty()) {
            String known = entries.stream().limit(NAMED).map(Entry::name).collect(Collectors.joining(", "));
            throw new PeerUnavailable("weir.transport.dapl.adapter=" + wanted + " is not in the registry of uDAPL, "
                    + file + ", which has " + known + (entries.size() > NAMED ? " and others" : ""));
        }
        List<Entry> there =
                named.stream().filter(entry -> entry.isThere(system)).toList();
        if (there.isEmpty()) {
            Entry first = named.get(0);
            throw new PeerUnavailable("the registry of uDAPL, " + file + ", names no adapter whose device is here ("
                    + first.name() + " is on '" + first.device() + "'): load the device's driver, or name an adapter on"
                    + " one of this system's");
        }
        return there;
    }
}
