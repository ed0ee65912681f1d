package io.weir.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.weir.core.Availability;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.SessionLost;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ShmLinkTest {

    @TempDir
    static Path folder;

    @BeforeAll
    static void needsSharedMemory() {
        assertThat(new ShmTransport().availability(new TransportSettings(folder, true, Map.of())))
                .isInstanceOf(Availability.Ready.class);
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(Mapping.open()).isZero();
        assertThat(Descriptor.open()).isZero();
    }

    @Test
    void carriesOneFrame() {
        try (ShmPair pair = ShmPair.open(folder, Waiting.BALANCED, Map.of())) {
            pair.left.run(() -> {
                ByteBuf body = Unpooled.copiedBuffer(new byte[] {1, 2, 3});
                assertThat(pair.left
                                .link()
                                .offer(new Frame().set(FrameKind.DATA, 1, 3, 4).body(body)))
                        .isTrue();
            });
            Frames.Got got = pair.right.frames().nextFrame();
            assertThat(got.channel()).isEqualTo(3);
            assertThat(got.body().readableBytes()).isEqualTo(3);
            got.body().release();
            pair.left.run(() -> pair.left.link().close());
            assertThat(pair.right.frames().nextLost(SessionLost.class)).hasMessageContaining("has closed");
        }
    }
}
