package io.weir.transport.gm;

import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireEnd;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The emulated library that the environment names. Fails a test that leaves descriptors or ports behind. */
final class Emulation implements AfterEachCallback {

    static TransportSettings settings(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.putIfAbsent("library", System.getenv("WEIR_TRANSPORT_GM_LIBRARY"));
        return new TransportSettings(Path.of("unused"), true, all);
    }

    static GmOptions options() {
        return GmOptions.of(settings(Map.of()));
    }

    /** Both ends of a link within this process, over one port, with all slots ready. */
    static List<WireEnd<GmWire>> pair(int slotBytes) {
        return pair(options(), options(), slotBytes);
    }

    /** The same over as many ports as these choose. */
    static List<WireEnd<GmWire>> pair(GmOptions here, GmOptions there, int slotBytes) {
        GmHalf left = GmHalf.open(here);
        GmHalf right = GmHalf.open(there);
        WireEnd<GmWire> near = end(left, slotBytes);
        WireEnd<GmWire> far = end(right, slotBytes);
        join(left, right);
        return List.of(near, far);
    }

    private static WireEnd<GmWire> end(GmHalf half, int slotBytes) {
        return new WireEnd<>(half.domain(), (GmWire) half.wire(), slotBytes, half::close);
    }

    static void join(GmHalf left, GmHalf right) {
        var unusedPlan = left.read(right.offer());
        var unusedEither = right.read(left.offer());
        // Neither has a limit of its own.
        CompletableFuture<Void> joining = CompletableFuture.runAsync(left::join);
        Soon.await(CompletableFuture.runAsync(right::join));
        Soon.await(joining);
    }

    /** A port is closed by a thread of its own. What a test leaves that has failed anyway is no news. */
    @Override
    public void afterEach(ExtensionContext context) {
        Soon.until(() -> context.getExecutionException().isPresent() || (Descriptor.open() == 0 && GmPort.open() == 0));
    }
}
