package io.weir.samples.manual;

import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.core.Waiting;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** A node's configuration as a value. */
public final class Settings {

    private Settings() {}

    public static NodeSpec inCode() {
        // tag::builder
        NodeSpec spec = NodeSpec.builder()
                .name("billing")
                .listen("tcp://127.0.0.1:7400")
                .order("shm", "verbs", "tcp")
                .path("verbs", PathSwitch.OFF)
                .windowBytes(8 << 20)
                .waiting(Waiting.LATENCY)
                .build();
        // end::builder
        return spec;
    }

    public static NodeSpec fromFile(Path file) throws IOException {
        // tag::file
        Properties properties = new Properties();
        try (InputStream stream = Files.newInputStream(file)) {
            properties.load(stream);
        }
        NodeSpec spec = NodeSpec.from(properties);
        // end::file
        return spec;
    }
}
