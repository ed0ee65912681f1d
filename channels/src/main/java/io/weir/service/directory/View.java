package io.weir.service.directory;

import io.weir.core.PeerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** What a directory has seen, and its subscribers. Any thread may ask; one at a time makes changes. */
final class View {

    private final List<ServiceInstance> fixed;
    private final Set<Feed<?>> feeds = ConcurrentHashMap.newKeySet();
    /** In the order in which they came. Guarded by this, as is what follows. */
    private final Map<PeerId, Listing> present = new LinkedHashMap<>();

    private boolean closed;

    /** @param fixed instances that are there whatever is seen */
    View(List<ServiceInstance> fixed) {
        this.fixed = fixed;
    }

    /** A node is there, or announces something else. */
    void put(Listing listing) {
        PeerId id = listing.member().id();
        synchronized (this) {
            if (closed || listing.equals(present.put(id, listing))) {
                return;
            }
            feeds.forEach(feed -> feed.changed(id, MemberEvent.Kind.JOINED));
        }
        feeds.forEach(Feed::wake);
    }

    /** A node is gone: {@link MemberEvent.Kind#LEFT} or {@link MemberEvent.Kind#FAILED}. */
    void remove(PeerId id, MemberEvent.Kind how) {
        synchronized (this) {
            if (closed || present.remove(id) == null) {
                return;
            }
            feeds.forEach(feed -> feed.changed(id, how));
        }
        feeds.forEach(Feed::wake);
    }

    synchronized List<Member> snapshot() {
        return present.values().stream().map(Listing::member).toList();
    }

    Flux<MemberEvent> members() {
        return Flux.create(sink -> begin(sink, new MemberFeed(sink, this, present)), FluxSink.OverflowStrategy.ERROR);
    }

    Flux<List<ServiceInstance>> instances(String service) {
        return Flux.create(
                sink -> begin(sink, new InstanceFeed(sink, () -> serving(service))), FluxSink.OverflowStrategy.ERROR);
    }

    private void begin(FluxSink<?> sink, Feed<?> feed) {
        synchronized (this) {
            if (closed) {
                sink.complete();
                return;
            }
            present.keySet().forEach(id -> feed.changed(id, MemberEvent.Kind.JOINED));
            feeds.add(feed);
        }
        sink.onDispose(() -> feeds.remove(feed));
        sink.onRequest(more -> feed.wake());
    }

    /** Those that are seen, and those fixed ones of which they do not say more. */
    private synchronized List<ServiceInstance> serving(String service) {
        List<ServiceInstance> seen = present.values().stream()
                .map(Listing::services)
                .flatMap(Collection::stream)
                .filter(instance -> instance.service().equals(service))
                .toList();
        Stream<ServiceInstance> others = fixed.stream()
                .filter(instance -> instance.service().equals(service))
                .filter(instance -> seen.stream().noneMatch(it -> it.addresses().containsAll(instance.addresses())));
        return Stream.concat(seen.stream(), others).toList();
    }

    /** Nothing changes any more, and all subscribers are completed. */
    void close() {
        List<Feed<?>> last;
        synchronized (this) {
            closed = true;
            last = new ArrayList<>(feeds);
        }
        last.forEach(Feed::end);
    }
}
