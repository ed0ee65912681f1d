package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.config.PigeonTransport;
import io.weir.config.Requirement;
import io.weir.core.TransportSettings;
import io.weir.path.LocalPaths;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which paths a node has when it wants encryption. */
class PrivatePathsTest {

    private static final class Path extends PigeonTransport {

        private final String name;
        private final boolean keepsSecrets;

        Path(String name, boolean keepsSecrets) {
            this.name = name;
            this.keepsSecrets = keepsSecrets;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean isPrivate(TransportSettings settings) {
            return keepsSecrets;
        }
    }

    private static boolean has(Requirement require, Path path) {
        return LocalPaths.isPrivateEnough(
                path, NodeSpec.builder().require(require).build());
    }

    @ParameterizedTest
    @EnumSource(
            value = Requirement.class,
            names = {"NONE", "AUTHENTICATED"})
    void everyPathUnlessItMustBeEncrypted(Requirement require) {
        assertThat(has(require, new Path("verbs", false))).isTrue();
    }

    @Test
    void privatePathsAndTheBootstrapConnectionIfItMust() {
        assertThat(has(Requirement.ENCRYPTED, new Path("verbs", false))).isFalse();
        assertThat(has(Requirement.ENCRYPTED, new Path("shm", true))).isTrue();
        assertThat(has(Requirement.ENCRYPTED, new Path("tcp", false))).isTrue();
    }
}
