package io.weir.service.directory;

import io.weir.core.PeerId;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.FluxSink;

/** The instances of a service for one subscriber. */
final class InstanceFeed extends Feed<List<ServiceInstance>> {

    private final Supplier<List<ServiceInstance>> now;
    private final AtomicBoolean dirty = new AtomicBoolean(true);
    private @Nullable List<ServiceInstance> told;

    InstanceFeed(FluxSink<List<ServiceInstance>> sink, Supplier<List<ServiceInstance>> now) {
        super(sink);
        this.now = now;
    }

    @Override
    void changed(PeerId id, MemberEvent.Kind how) {
        dirty.set(true);
    }

    @Override
    @Nullable
    List<ServiceInstance> next() {
        if (!dirty.getAndSet(false)) {
            return null;
        }
        List<ServiceInstance> instances = now.get();
        if (instances.equals(told)) {
            return null;
        }
        told = instances;
        return instances;
    }
}
