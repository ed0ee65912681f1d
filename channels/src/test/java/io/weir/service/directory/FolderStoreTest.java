package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.core.PeerId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.Stream;
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

    @Test
    void aFolderThatWasAFileForAWhileIsMadeAgain() throws Exception {
        DirectoryStore other = store(new View(List.of()), new EntryRoom());
        publish(other, listing(1));
        DirectoryStore store = store(view, new EntryRoom());
        assertThat(view.snapshot()).hasSize(1);
        Path directory = folder.resolve("directory");
        makeFileOf(directory);
        // Longer than a node looks for its entry, so that it has tried to make it anew.
        Thread.sleep(1200);
        Files.delete(directory);
        List<Member> again = Flux.interval(Duration.ofMillis(10))
                .filter(tick -> Files.isDirectory(directory))
                .map(tick -> names(directory))
                .filter(names -> names > 0)
                .map(names -> view.snapshot())
                .blockFirst(LIMIT);
        assertThat(again).isNotNull();
        worker.submit(store::close).get();
        worker.submit(other::close).get();
    }

    /** At once, since the stores see when something is deleted, and make it anew. */
    private void makeFileOf(Path directory) throws IOException {
        for (int attempt = 0; !Files.isRegularFile(directory); attempt++) {
            Files.move(directory, folder.resolve("former-" + attempt));
            try {
                Files.writeString(directory, "no folder", StandardOpenOption.CREATE_NEW);
            } catch (FileAlreadyExistsException e) {
                // A store was quicker.
            }
        }
    }

    private static long names(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".node")).count();
        } catch (IOException e) {
            return 0;
        }
    }

    private static Listing listing(int number, long incarnation, String attribute) {
        PeerId id = new PeerId(new UUID(1, number), "node-" + number, incarnation);
        return new Listing(new Member(id, "host", List.of(), Map.of("text", attribute), Instant.EPOCH), List.of());
    }

    private void publish(DirectoryStore store, Listing listing) throws Exception {
        var published = worker.submit(() -> {
            store.publish(listing);
            return listing;
        });
        assertThat(published.get()).isSameAs(listing);
    }

    private List<Member> seenWith(PeerId id) {
        List<Member> members = Flux.interval(Duration.ofMillis(10))
                .map(tick -> view.snapshot())
                .filter(all -> all.stream().anyMatch(member -> member.id().equals(id)))
                .blockFirst(LIMIT);
        return members == null ? List.of() : members;
    }

    /** Whoever may write the folder would fill the memory of all who watch it with nodes that never were. */
    @Test
    void anEntryThatNamesAnotherNodeNamesTheFormerOneNoMore() throws Exception {
        DirectoryStore other = store(new View(List.of()), new EntryRoom());
        DirectoryStore store = store(view, new EntryRoom());
        for (int incarnation = 1; incarnation <= 5; incarnation++) {
            Listing told = listing(7, incarnation, "a");
            publish(other, told);
            assertThat(seenWith(told.member().id()))
                    .extracting(Member::id)
                    .containsExactly(told.member().id());
        }
        worker.submit(store::close).get();
        worker.submit(other::close).get();
    }

    @Test
    void anEntryThatCanNotBeReadAnyMoreLeavesNoRoomForOthersAsLongAsItIsSeen() throws Exception {
        Listing large = listing(1, 1, "x".repeat(4000));
        Listing asLarge = listing(2, 1, "x".repeat(4000));
        Listing small = listing(3, 1, "x");
        Listing last = listing(4, 1, "x");
        // For one large one of them, both small ones, and what can't be read.
        byte[] nothing = "nothing".getBytes(UTF_8);
        long room = EntryRoom.cost(ListingText.write(large))
                + 2 * EntryRoom.cost(ListingText.write(small))
                + EntryRoom.cost(nothing);
        List<DirectoryStore> stores = new ArrayList<>();
        stores.add(store(view, new EntryRoom(room)));
        for (int each = 0; each < 4; each++) {
            stores.add(store(new View(List.of()), new EntryRoom()));
        }
        publish(stores.get(1), large);
        assertThat(seenWith(large.member().id())).hasSize(1);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.resolve("directory"), "*.node")) {
            for (Path file : files) {
                assertThat(Files.write(file, nothing)).isEqualTo(file);
            }
        }
        publish(stores.get(2), small);
        assertThat(seenWith(small.member().id())).hasSize(2);
        publish(stores.get(3), asLarge);
        publish(stores.get(4), last);
        assertThat(seenWith(last.member().id())).isNotEmpty();
        // The look that has seen it is over.
        assertThat(worker.submit(() -> true).get()).isTrue();
        assertThat(view.snapshot())
                .extracting(Member::id)
                .containsExactlyInAnyOrder(
                        large.member().id(), small.member().id(), last.member().id());
        for (DirectoryStore each : stores) {
            worker.submit(each::close).get();
        }
    }
}
