package io.weir.tck;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCounted;
import io.weir.core.Transport;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Assumptions;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * A jar with a transport named {@code pigeon}, compiled and packed while the tests run: so it is a stranger to the
 * build. It works wherever a bootstrap connection does.
 */
public final class ForeignJar {

    /** The name of the path in the jar. */
    public static final String PATH = "pigeon";

    private static final String CLASS = "foreign.PigeonTransport";
    private static final String SOURCE = "foreign/PigeonTransport.java";

    private ForeignJar() {}

    /** Builds the jar in this folder. Skips the test on a JVM without a compiler. */
    public static Path build(Path folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            return Assumptions.abort("this JVM has no compiler to build a foreign jar with");
        }
        Path source = folder.resolve("PigeonTransport.java");
        try (InputStream text = ForeignJar.class.getClassLoader().getResourceAsStream(SOURCE)) {
            Files.write(source, Objects.requireNonNull(text, SOURCE).readAllBytes());
        }
        Path classes = Files.createDirectories(folder.resolve("classes"));
        int result = compiler.run(
                null, null, null, "-proc:none", "-d", classes.toString(), "-cp", classPath(), source.toString());
        if (result != 0) {
            throw new AssertionError("the foreign transport does not compile against the interfaces of a transport");
        }
        return pack(classes, folder.resolve("pigeon.jar"));
    }

    /** A class loader that finds the jar beside our own class path. */
    public static URLClassLoader loader(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, ForeignJar.class.getClassLoader());
    }

    /** What a foreign transport is compiled against, and nothing else. */
    private static String classPath() {
        return Stream.of(
                        Transport.class,
                        Mono.class,
                        Publisher.class,
                        ByteBuf.class,
                        FileRegion.class,
                        ReferenceCounted.class,
                        NullMarked.class)
                .map(ForeignJar::home)
                .distinct()
                .collect(Collectors.joining(System.getProperty("path.separator")));
    }

    private static String home(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static Path pack(Path classes, Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            for (Path file : all) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, out);
            }
            out.putNextEntry(new JarEntry("META-INF/services/" + Transport.class.getName()));
            out.write(CLASS.getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }
}
