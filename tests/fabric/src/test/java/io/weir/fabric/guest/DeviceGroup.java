package io.weir.fabric.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A control group of this process, in which it may have so many objects of a device: domains, queues, connections,
 * registered memory.
 */
final class DeviceGroup implements AutoCloseable {

    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final Path OURS = ROOT.resolve("weir");
    private static final String OBJECTS = "hca_object=";

    private DeviceGroup() {}

    /** Makes it and moves this process there; what it has already counts elsewhere. */
    static DeviceGroup join() throws IOException, InterruptedException {
        if (!Files.exists(ROOT.resolve("cgroup.procs"))) {
            Program.run("mount", "-t", "cgroup2", "none", ROOT.toString());
        }
        Files.writeString(ROOT.resolve("cgroup.subtree_control"), "+rdma");
        Files.createDirectories(OURS);
        move(OURS);
        return new DeviceGroup();
    }

    private static void move(Path group) throws IOException {
        Files.writeString(
                group.resolve("cgroup.procs"),
                Long.toString(ProcessHandle.current().pid()));
    }

    /** Leaves us so many more of this device than we have now. */
    void leave(String device, int objects) throws IOException {
        limit(device, Integer.toString(current(device) + objects));
    }

    void unlimited(String device) throws IOException {
        limit(device, "max");
    }

    private static void limit(String device, String objects) throws IOException {
        Files.writeString(OURS.resolve("rdma.max"), device + " " + OBJECTS + objects);
    }

    private static int current(String device) throws IOException {
        return Files.readAllLines(OURS.resolve("rdma.current")).stream()
                .filter(line -> line.startsWith(device + " "))
                .flatMap(line -> Arrays.stream(line.split(" ", -1)))
                .filter(word -> word.startsWith(OBJECTS))
                .mapToInt(word -> Integer.parseInt(word.substring(OBJECTS.length())))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() throws IOException {
        move(ROOT);
        Files.delete(OURS);
    }
}
