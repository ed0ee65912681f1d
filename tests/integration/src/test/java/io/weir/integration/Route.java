package io.weir.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.config.NodeSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A way between two nodes that every promise of a channel must hold on. */
public enum Route {
    LOCAL("local", true),
    TCP("tcp", true),
    /** TCP without native code, so on NIO. */
    NIO("tcp", false),
    SHM("shm", true);

    /** The variable of the environment that names the run-time folder of a process whose parent removes it. */
    public static final String FOLDER = "WEIR_TEST_RUNTIME_FOLDER";

    private static final Path RUNTIME_FOLDER = runtimeFolder();

    public final String path;
    private final boolean nativeAllowed;

    Route(String path, boolean nativeAllowed) {
        this.path = path;
        this.nativeAllowed = nativeAllowed;
    }

    /** A node that uses this path and no other. */
    public NodeSpec.Builder spec(String name) {
        assumeTrue(
                this != SHM || System.getProperty("os.name").equals("Linux"),
                "shared memory between processes is made of what Linux has");
        return any(name).order(path).nativeAllowed(nativeAllowed);
    }

    /** A node with the standard paths, and more patience than a busy machine needs. */
    public static NodeSpec.Builder any(String name) {
        return NodeSpec.builder()
                .name(name)
                .runtimeFolder(RUNTIME_FOLDER)
                .connectTimeout(Patience.LIMIT)
                .handshakeTimeout(Patience.LIMIT)
                .stepTimeout(Patience.LIMIT)
                .headStart(Patience.LIMIT)
                .drainTimeout(Patience.LIMIT);
    }

    private static Path runtimeFolder() {
        String given = System.getenv(FOLDER);
        if (given != null) {
            return Path.of(given);
        }
        try {
            Path folder = Files.createTempDirectory("weir-it");
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
