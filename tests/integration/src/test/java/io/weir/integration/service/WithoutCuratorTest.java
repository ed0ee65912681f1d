package io.weir.integration.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.integration.Patience;
import io.weir.service.directory.ServiceDirectory;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The directory in ZooKeeper, where what it needs, which is optional, is not on the class path. */
class WithoutCuratorTest {

    /** What one is told who opens it. Of another class loader. */
    public static final class Opening implements Callable<String> {

        @Override
        public String call() {
            NodeSpec spec = NodeSpec.builder()
                    .properties(
                            Map.of("weir.directory", "zookeeper", "weir.directory.zookeeper.connect", "127.0.0.1:1"))
                    .build();
            try {
                return "opened: " + ServiceDirectory.observe(spec).block(Patience.LIMIT);
            } catch (Misconfigured e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        URL[] rest = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(each -> !each.contains("curator") && !each.contains("zookeeper"))
                .map(WithoutCuratorTest::url)
                .toArray(URL[]::new);
        Thread current = Thread.currentThread();
        ClassLoader usual = current.getContextClassLoader();
        try (URLClassLoader without = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
            Callable<?> opening = (Callable<?>) without.loadClass(Opening.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
            current.setContextClassLoader(without);
            assertThat(String.valueOf(opening.call()))
                    .startsWith("weir.directory=zookeeper needs org.apache.curator:curator-recipes and"
                            + " org.apache.zookeeper:zookeeper on the class path, and org/apache/");
        } finally {
            current.setContextClassLoader(usual);
        }
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }
}
