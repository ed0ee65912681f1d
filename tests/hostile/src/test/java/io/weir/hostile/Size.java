package io.weir.hostile;

import java.util.List;

/** What a victim's JVM may have. */
enum Size {
    ROOMY("512m"),
    TIGHT("64m");

    private final String memory;

    Size(String memory) {
        this.memory = memory;
    }

    List<String> jvm() {
        return List.of("-Xmx" + memory, "-XX:MaxDirectMemorySize=" + memory);
    }
}
