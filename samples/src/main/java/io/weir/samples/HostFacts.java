package io.weir.samples;

import io.weir.config.NodeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What decides which paths there are: the system, the kernel that two processes must share, and the user who runs this.
 */
final class HostFacts {

    private HostFacts() {}

    static Map<String, String> of(NodeSpec spec) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "system",
                System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ' '
                        + System.getProperty("os.arch") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors");
        facts.put("java", System.getProperty("java.vendor") + ' ' + Runtime.version());
        facts.put("host", read("/proc/sys/kernel/hostname"));
        facts.put("boot-id", read("/proc/sys/kernel/random/boot_id"));
        facts.put("user", System.getProperty("user.name") + " (uid " + uid() + ')');
        facts.put("runtime-folder", spec.runtimeFolder() + folderState(spec.runtimeFolder()));
        facts.put("native", spec.nativeAllowed() ? "allowed" : "forbidden: weir.native=off");
        return facts;
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String uid() {
        try {
            return String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return "unknown";
        }
    }

    private static String folderState(Path folder) {
        return Files.exists(folder, LinkOption.NOFOLLOW_LINKS) ? "" : " (made when it is needed)";
    }
}
