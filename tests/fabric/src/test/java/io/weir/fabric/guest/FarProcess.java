package io.weir.fabric.guest;

import io.weir.samples.process.Serving;
import java.io.IOException;

/** A node in a process of its own, as its environment says, that serves {@link Bodies}. */
final class FarProcess {

    private FarProcess() {}

    public static void main(String[] arguments) throws IOException {
        Serving.until(Serving.spec("far"), Bodies::serve);
    }
}
