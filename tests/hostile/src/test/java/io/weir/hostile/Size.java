package io.weir.hostile;

import java.util.List;
import java.util.stream.Stream;

/** What a victim's JVM may have. */
enum Size {
    ROOMY("256m", 64),
    TIGHT("64m", 16);

    private final String memory;

    /** Buffers that Netty keeps for the next user, and that no attack may make more. */
    private final long pooledMegabytes;

    Size(String memory, long pooledMegabytes) {
        this.memory = memory;
        this.pooledMegabytes = pooledMegabytes;
    }

    /** In the whole lane all of them, else the one that is hardest to bear. */
    static Stream<Size> ofThisLane() {
        return Boolean.getBoolean("weir.hostile.whole") ? Stream.of(values()) : Stream.of(TIGHT);
    }

    long pooled() {
        return pooledMegabytes << 20;
    }

    List<String> jvm() {
        return List.of("-Xmx" + memory, "-XX:MaxDirectMemorySize=" + memory);
    }
}
