package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Message;
import io.weir.fabric.guest.Fabric.End;
import io.weir.tck.ResourceCheck;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A message that is as long as one may be, there and back. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class LongestMessageOnEmulation {

    private static final int LONGEST = 64 << 20;

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void comesBackAsItWas(Fabric fabric) {
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Node far = nodes.start(End.FAR, fabric.path);
            Node near = nodes.start(End.NEAR, fabric.path);
            Peer peer = Nodes.got(near.connect(far.address()));
            assertThat(Nodes.path(peer)).isEqualTo(fabric.path);
            Stream.of(peer.allocator(), UnpooledByteBufAllocator.DEFAULT).forEach(allocator -> {
                Message answer = Nodes.got(peer.ask(Bodies.ECHO, Message.of(content(allocator))));
                check(answer.payload());
                answer.release();
            });
        }
    }

    /** All of its memory at once, since a leak detector looks at each access. */
    private static ByteBuf content(ByteBufAllocator allocator) {
        ByteBuf content = allocator.buffer(LONGEST, LONGEST);
        SplittableRandom random = new SplittableRandom(LONGEST);
        LongBuffer memory = content.nioBuffer(0, LONGEST).asLongBuffer();
        while (memory.hasRemaining()) {
            memory.put(random.nextLong());
        }
        return content.writerIndex(LONGEST);
    }

    private static void check(ByteBuf content) {
        SplittableRandom random = new SplittableRandom(LONGEST);
        LongBuffer memory = content.nioBuffer().asLongBuffer();
        assertThat(memory.remaining()).isEqualTo(LONGEST / Long.BYTES);
        while (memory.hasRemaining()) {
            if (memory.get() != random.nextLong()) {
                throw new AssertionError("another content behind word " + (memory.position() - 1));
            }
        }
    }
}
