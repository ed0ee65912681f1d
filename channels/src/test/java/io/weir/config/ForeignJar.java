package io.weir.config;

import io.weir.core.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;

/** Puts adapters on the class path of this thread, as a jar that somebody adds would, until it is closed. */
final class ForeignJar implements AutoCloseable {

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private final URLClassLoader loader;

    /** The names of the classes that the jar's service file lists. */
    ForeignJar(Path folder, String... adapters) {
        try {
            Path file = folder.resolve("META-INF/services").resolve(Transport.class.getName());
            Files.createDirectories(file.getParent());
            Files.writeString(file, String.join("\n", adapters));
            loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.currentThread().setContextClassLoader(loader);
    }

    static ForeignJar withPigeons(Path folder) {
        return new ForeignJar(folder, PigeonTransport.class.getName());
    }

    @Override
    public void close() {
        Thread.currentThread().setContextClassLoader(before);
        try {
            loader.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
