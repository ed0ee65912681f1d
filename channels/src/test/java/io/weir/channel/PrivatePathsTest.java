package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.Availability;
import io.weir.core.LinkRequest;
import io.weir.core.PeerCard;
import io.weir.core.PeerUnavailable;
import io.weir.core.PendingLink;
import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which paths a node has when it wants encryption. */
class PrivatePathsTest {

    private record Path(String name, boolean keepsSecrets) implements Transport {

        @Override
        public Availability availability(TransportSettings settings) {
            return new Availability.Ready();
        }

        @Override
        public @Nullable String reaches(PeerCard self, PeerCard peer) {
            return null;
        }

        @Override
        public boolean isPrivate(TransportSettings settings) {
            return keepsSecrets;
        }

        @Override
        public PendingLink prepare(LinkRequest request) {
            throw new PeerUnavailable("nothing is made here");
        }
    }

    private static boolean has(Requirement require, Path path) {
        return Node.isPrivateEnough(path, NodeSpec.builder().require(require).build());
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
