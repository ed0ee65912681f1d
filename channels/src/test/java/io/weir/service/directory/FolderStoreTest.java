package io.weir.service.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** What a node sees of others in a folder, when there is not room for all of them. */
class FolderStoreTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private final ScheduledThreadPoolExecutor worker = new ScheduledThreadPoolExecutor(1);
    private final View view = new View(List.of());

    @AfterEach
    void end() {
        worker.shutdownNow();
    }

    private static Listing listing(int number) {
        PeerId id = new PeerId(new UUID(1, number), "node-" + number, 1);
        return new Listing(new Member(id, "host", List.of(), Map.of(), Instant.EPOCH), List.of());
    }

    /** Opened, and used on its own thread only. */
    private DirectoryStore store(View sees, EntryRoom room) throws Exception {
        DirectoryStore store = new FolderStore(folder, null, sees, worker, room);
        return worker.submit(() -> {
                    store.open();
                    return store;
                })
                .get();
    }

    @Test
    void oneThatFoundNoRoomIsSeenWhenAnotherHasGone() throws Exception {
        List<DirectoryStore> others = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            DirectoryStore other = store(new View(List.of()), new EntryRoom());
            Listing told = listing(number);
            var published = worker.submit(() -> {
                other.publish(told);
                return told;
            });
            assertThat(published.get()).isSameAs(told);
            others.add(other);
        }
        long each = EntryRoom.cost(ListingText.write(listing(0)));
        DirectoryStore store = store(view, new EntryRoom(3 * each + each / 2));
        List<Member> seen = view.snapshot();
        assertThat(seen).hasSize(3);
        int first = (int) seen.get(0).id().id().getLeastSignificantBits();
        worker.submit(others.get(first)::close).get();
        List<Member> then = Flux.interval(Duration.ofMillis(10))
                .map(tick -> view.snapshot())
                .filter(members -> members.size() == 3 && !members.contains(seen.get(0)))
                .blockFirst(LIMIT);
        assertThat(then).hasSize(3);
        worker.submit(store::close).get();
        for (DirectoryStore other : others) {
            worker.submit(other::close).get();
        }
    }
}
