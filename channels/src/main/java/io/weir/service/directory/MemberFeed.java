package io.weir.service.directory;

import io.weir.core.PeerId;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.FluxSink;

/** The events of members for one subscriber. */
final class MemberFeed extends Feed<MemberEvent> {

    private final Object lock;
    private final Map<PeerId, Listing> present;
    private final Map<PeerId, Member> told = new HashMap<>();
    /**
     * Who has to be looked at, in the order of the first change, and how it went if it is gone. Guarded by the lock.
     */
    private final Map<PeerId, MemberEvent.Kind> pending = new LinkedHashMap<>();

    /**
     * @param lock guards the next one
     * @param present who is there
     */
    MemberFeed(FluxSink<MemberEvent> sink, Object lock, Map<PeerId, Listing> present) {
        super(sink);
        this.lock = lock;
        this.present = present;
    }

    @Override
    void changed(PeerId id, MemberEvent.Kind how) {
        pending.put(id, how);
    }

    @Override
    @Nullable
    MemberEvent next() {
        synchronized (lock) {
            Iterator<Map.Entry<PeerId, MemberEvent.Kind>> changes =
                    pending.entrySet().iterator();
            while (changes.hasNext()) {
                Map.Entry<PeerId, MemberEvent.Kind> change = changes.next();
                changes.remove();
                MemberEvent event = event(change.getKey(), change.getValue());
                if (event != null) {
                    return event;
                }
            }
            return null;
        }
    }

    /** Null if the subscriber knows it so already. */
    private @Nullable MemberEvent event(PeerId id, MemberEvent.Kind gone) {
        Member before = told.get(id);
        Listing now = present.get(id);
        if (now == null) {
            told.remove(id);
            return before == null ? null : new MemberEvent(gone, before);
        }
        Member member = now.member();
        told.put(id, member);
        if (before == null) {
            return new MemberEvent(MemberEvent.Kind.JOINED, member);
        }
        return before.equals(member) ? null : new MemberEvent(MemberEvent.Kind.CHANGED, member);
    }
}
