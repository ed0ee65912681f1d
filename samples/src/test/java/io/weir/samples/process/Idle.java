package io.weir.samples.process;

import io.weir.config.NodeSpec;
import java.io.IOException;

/** A process with a node that serves nothing. */
final class Idle {

    private Idle() {}

    public static void main(String[] arguments) throws IOException {
        Serving.until(
                NodeSpec.builder().name("idle").listen("tcp://127.0.0.1:0").build(), node -> {});
    }
}
