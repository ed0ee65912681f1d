package io.weir.test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/**
 * A parallel job of processes of one host, for {@link EmulatedLibrary#ELAN}: each has a number of its own, which on a
 * cluster is given by what starts the job. Here who starts a process gives it the next one.
 */
public final class EmulatedJob {

    private static final String PLACE = "RMS_PROCID";
    private static final String PLACES = "ELANEMU_DIR";
    private static final String TAKEN = "taken";

    /** More than anybody starts; none of them has to be there. */
    private static final int PROCESSES = 4096;

    private EmulatedJob() {}

    /** What its first process's environment says. */
    static Map<String, String> begin(Path library, Path folder) {
        return Map.of(
                "WEIR_TRANSPORT_ELAN_LIBRARY",
                library.toString(),
                "WEIR_TRANSPORT_ELAN_DEVICE",
                library.toString(),
                PLACES,
                folder.resolve("processes").toString(),
                "LIBELAN_ECAP0",
                folder.toString(),
                "RMS_NPROCS",
                Integer.toString(PROCESSES),
                PLACE,
                "0");
    }

    /**
     * What a process's environment has to say besides what it has from ours, if this is a process of such a job; else
     * nothing.
     *
     * @throws IOException if it can't be found out which number is free
     */
    public static Map<String, String> placeOfChild() throws IOException {
        return placeOfChild(System.getenv());
    }

    /** The same where the child has its environment not from ours, but begins with this one. */
    public static Map<String, String> placeOfChild(Map<String, String> environment) throws IOException {
        String places = environment.get(PLACES);
        return places == null ? Map.of() : Map.of(PLACE, Integer.toString(next(Path.of(places))));
    }

    private static synchronized int next(Path places) throws IOException {
        Files.createDirectories(places);
        try (FileChannel taken = FileChannel.open(
                        places.resolve(TAKEN),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                var unused = taken.lock()) {
            ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
            int last = taken.read(number, 0) < Integer.BYTES ? 0 : number.getInt(0);
            int next = last + 1;
            if (next == PROCESSES) {
                throw new IOException("all " + PROCESSES + " numbers of processes in " + places + " are taken");
            }
            var unusedCount = taken.write(number.putInt(0, next).rewind(), 0);
            return next;
        }
    }
}
