package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** Buffers so small that most frames are cut. */
@Tag("whole")
class TcpSmallBuffersTest implements TransportContract {

    @Override
    public TransportFixture fixture() {
        return TransportFixture.of("tcp")
                .with("send-buffer", "4k")
                .with("receive-buffer", "4k")
                .with("high-water", "64k");
    }
}
