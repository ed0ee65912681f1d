package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Transport;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A transport of somebody else, in a jar that our build has never seen. */
@ExtendWith({ResourceCheck.class, Seed.class})
@Timeout(60)
class ForeignJarTest {

    @Test
    void isFoundByServiceLoader(@TempDir Path folder) throws Exception {
        Path jar = ForeignJar.build(folder);
        try (URLClassLoader loader = ForeignJar.loader(jar)) {
            Transport pigeon = Paths.transport(ForeignJar.PATH, loader);
            assertThat(pigeon.getClass().getClassLoader()).isSameAs(loader);
            assertThat(pigeon.name()).isEqualTo("pigeon");
        }
        assertThat(ServiceLoader.load(Transport.class).stream())
                .as("our own class path")
                .noneMatch(provider -> provider.type().getName().contains("igeon"));
    }

    @Test
    void carriesFrames(@TempDir Path folder) throws Exception {
        try (URLClassLoader loader = ForeignJar.loader(ForeignJar.build(folder));
                LinkPair pair =
                        TransportFixture.of(ForeignJar.PATH).from(loader).open()) {
            FrameStream stream = FrameStream.mixed("by pigeon", pair.maxFrame());
            assertThat(pair.first.link.transport()).isEqualTo("pigeon");
            pair.second.expect(stream);
            pair.first.sendAll(stream, 200);
            pair.second.awaitReceived(200);
        }
    }
}
