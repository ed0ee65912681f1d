package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransportsTest {

    @TempDir
    Path folder;

    @Test
    void findsAnAdapterInAForeignJarByItsName() {
        try (ForeignJar jar = ForeignJar.withPigeons(folder)) {
            assertThat(Transports.find()).containsKey("pigeon");
        }
        assertThat(Transports.find()).doesNotContainKey("pigeon");
    }

    @Test
    void countsAnAdapterOnceThatBothLoadersSee() {
        try (ForeignJar jar = ForeignJar.withPigeons(folder);
                ForeignJar again = ForeignJar.withPigeons(folder)) {
            assertThat(Transports.find()).containsKey("pigeon");
        }
    }

    @Test
    void namesAnAdapterThatCantBeLoaded() {
        try (ForeignJar jar = new ForeignJar(folder, "com.example.GoneTransport")) {
            assertThatThrownBy(Transports::find)
                    .isInstanceOf(Misconfigured.class)
                    .hasMessageContaining("an adapter on the class path can't be loaded")
                    .hasMessageContaining("com.example.GoneTransport")
                    .hasMessageEndingWith("mend or remove its jar");
        }
    }

    @Test
    void namesBothAdaptersThatClaimOneName() {
        try (ForeignJar jar =
                new ForeignJar(folder, PigeonTransport.class.getName(), OtherPigeonTransport.class.getName())) {
            assertThatThrownBy(Transports::find)
                    .isInstanceOf(Misconfigured.class)
                    .hasMessage("two adapters on the class path are named pigeon: " + PigeonTransport.class.getName()
                            + " and " + OtherPigeonTransport.class.getName() + "; remove one of their jars");
        }
    }

    /** Claims a name that is taken. */
    public static final class OtherPigeonTransport extends PigeonTransport {}
}
