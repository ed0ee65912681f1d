package io.weir.integration.remote;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * One version of an interface {@code Version}, compiled now, so that two nodes can have different ones under the same
 * name.
 */
final class Version {

    private Version() {}

    static Class<?> of(String methods) {
        try {
            Path folder = Files.createTempDirectory("weir-version");
            Path source = folder.resolve("Version.java");
            Path compiled = folder.resolve("Version.class");
            Files.writeString(
                    source, "import reactor.core.publisher.Mono; public interface Version { " + methods + " }");
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            int outcome = compiler.run(
                    null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"), source.toString());
            if (outcome != 0) {
                throw new AssertionError("not compiled: " + methods);
            }
            Class<?> type = new Loader(folder).loadClass("Version");
            Files.delete(source);
            Files.delete(compiled);
            Files.delete(folder);
            return type;
        } catch (IOException | ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static final class Loader extends URLClassLoader {

        Loader(Path folder) throws MalformedURLException {
            super(new URL[] {folder.toUri().toURL()}, Version.class.getClassLoader());
        }
    }
}
