package io.weir.transport.elan;

import io.weir.core.TransportSettings;
import io.weir.transport.nativelib.Descriptor;
import io.weir.transport.nativelib.Mapping;
import io.weir.transport.rdma.Soon;
import io.weir.transport.rdma.WireEnd;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The emulated library that the environment names. Fails a test that leaves descriptors or memory behind. */
final class Emulation implements BeforeEachCallback, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Emulation.class);

    static final String LIBRARY = System.getenv().getOrDefault("WEIR_TRANSPORT_ELAN_LIBRARY", "");

    static TransportSettings settings(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.putIfAbsent("library", LIBRARY);
        all.putIfAbsent("device", LIBRARY);
        return new TransportSettings(Path.of("unused"), true, all);
    }

    static ElanOptions options() {
        return ElanOptions.of(settings(Map.of()));
    }

    static ElanJob job() {
        return ElanJob.join(options().choice());
    }

    static ElanHalf half() {
        ElanJob unused = job();
        return ElanHalf.open(options());
    }

    /** Both ends of a link within this process, with all slots ready. */
    static List<WireEnd<ElanWire>> pair(int slotBytes) {
        ElanHalf left = half();
        ElanHalf right = half();
        WireEnd<ElanWire> near = end(left, slotBytes);
        WireEnd<ElanWire> far = end(right, slotBytes);
        join(left, right);
        near.boundBy(far);
        far.boundBy(near);
        return List.of(near, far);
    }

    private static WireEnd<ElanWire> end(ElanHalf half, int slotBytes) {
        return new WireEnd<>(half.domain(), (ElanWire) half.wire(), slotBytes, half::close);
    }

    static void exchange(ElanHalf left, ElanHalf right) {
        var unusedPlan = left.read(right.offer());
        var unusedEither = right.read(left.offer());
    }

    private static void join(ElanHalf left, ElanHalf right) {
        exchange(left, right);
        // Neither has a limit of its own.
        CompletableFuture<Void> joining = CompletableFuture.runAsync(left::join);
        Soon.await(CompletableFuture.runAsync(right::join));
        Soon.await(joining);
    }

    /** Of links to a process that was killed, there is memory as long as this one lives. */
    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(NAMESPACE).put("mapped", Mapping.open());
    }

    /** What a test leaves that has failed anyway is no news. */
    @Override
    public void afterEach(ExtensionContext context) {
        int before = context.getStore(NAMESPACE).get("mapped", Integer.class);
        Soon.until(() ->
                context.getExecutionException().isPresent() || (Descriptor.open() == 0 && Mapping.open() == before));
    }
}
