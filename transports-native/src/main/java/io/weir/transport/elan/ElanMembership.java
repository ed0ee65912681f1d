package io.weir.transport.elan;

import io.weir.core.PeerUnavailable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * As which process of which parallel job this one was started: only such a process may call libelan, which ends any
 * other. What starts jobs (RMS's {@code prun}, ParaStation's {@code mpiexec}) says so in the environment.
 *
 * @param capability what lets a job's processes use the network, as it stands in the environment: the same for all of
 *     them
 * @param vp this process's number in the job
 * @param nvp how many there are
 */
record ElanMembership(String capability, int vp, int nvp) {

    /** More would not fit into a capability. */
    static final int MOST = 1 << 16;

    private static final List<String> CAPABILITIES = List.of("LIBELAN_ECAP0", "LIBELAN_ECAP");
    /** By RMS, and by process managers that speak PMI. */
    private static final List<List<String>> PLACES =
            List.of(List.of("RMS_PROCID", "RMS_NPROCS"), List.of("PMI_RANK", "PMI_SIZE"));

    /** Inferred: what drivers of QsNetII and QsNet show. */
    private static final String DEVICES = "/dev";

    private static final String DEVICE = "elan*";
    private static final Path KERNEL = Path.of("/proc/qsnet");

    private static final String SEAL = "HmacSHA256";
    /** Bytes of a digest that two jobs won't share by chance. */
    private static final int DIGEST = 8;

    /**
     * Reads it.
     *
     * @throws PeerUnavailable if this process is none of a job, saying what it lacks
     */
    static ElanMembership of(Map<String, String> environment) {
        String capability = CAPABILITIES.stream()
                .map(name -> environment.getOrDefault(name, "").trim())
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElseThrow(
                        () -> new PeerUnavailable("this process was not started as one of a parallel job on QsNet: "
                                + String.join(" and ", CAPABILITIES)
                                + " are not set; start it with RMS's prun or ParaStation's"
                                + " mpiexec, which set them"));
        for (List<String> place : PLACES) {
            if (environment.containsKey(place.get(0)) && environment.containsKey(place.get(1))) {
                int nvp = number(environment, place.get(1), 1, MOST);
                return new ElanMembership(capability, number(environment, place.get(0), 0, nvp - 1), nvp);
            }
        }
        throw new PeerUnavailable("which process of its job this one is, and of how many, is not known:"
                + " neither RMS_PROCID and RMS_NPROCS nor PMI_RANK and PMI_SIZE are set");
    }

    private static int number(Map<String, String> environment, String name, int least, int most) {
        String text = environment.getOrDefault(name, "").trim();
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw new PeerUnavailable("the environment says " + name + "=" + text + ", which should be a number from "
                + least + " to " + most);
    }

    /**
     * Whether there is hardware: without, the library would end this process.
     *
     * @param device a file or folder that shows it; empty for those that are known
     * @throws PeerUnavailable if there is none
     */
    static void checkDevice(String device) {
        if (!device.isEmpty()) {
            if (!Files.exists(Path.of(device))) {
                throw new PeerUnavailable("there is no " + device + " (weir.transport.elan.device)");
            }
        } else if (!Files.exists(KERNEL) && !hasNode()) {
            throw new PeerUnavailable(
                    "there is no Elan adapter on this host: neither " + DEVICES + "/" + DEVICE + " nor " + KERNEL
                            + "; if its driver shows something else, say what with weir.transport.elan.device");
        }
    }

    private static boolean hasNode() {
        try (DirectoryStream<Path> nodes = Files.newDirectoryStream(Path.of(DEVICES), DEVICE)) {
            return nodes.iterator().hasNext();
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * What both sides compare to know that they are of one job, and which lets nobody use the network.
     *
     * @param name what stands for the capability; empty for itself
     */
    String jobDigest(String name) {
        return HexFormat.of().formatHex(seal(name, "card".getBytes(StandardCharsets.US_ASCII)), 0, DIGEST);
    }

    /** What only a process of the job can say of these bytes. */
    byte[] seal(String name, byte[] bytes) {
        String known = (name.isEmpty() ? "capability " + capability : "name " + name) + " of " + nvp;
        try {
            Mac mac = Mac.getInstance(SEAL);
            mac.init(new SecretKeySpec(known.getBytes(StandardCharsets.UTF_8), SEAL));
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + SEAL, e);
        }
    }
}
