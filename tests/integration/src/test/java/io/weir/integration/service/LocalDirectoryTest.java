package io.weir.integration.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.RuntimeFolder;
import io.weir.integration.Child;
import io.weir.integration.LogLines;
import io.weir.integration.Nodes;
import io.weir.integration.Patience;
import io.weir.service.directory.Member;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The directory in the run-time folder, between real processes, and whatever may lie in that folder. */
@EnabledOnOs(OS.LINUX)
class LocalDirectoryTest implements DirectoryContract {

    private static final String DEAD = "0123456789abcdef0123456789abcdef";

    @TempDir
    private Path temporary;

    private Path entries;

    @BeforeEach
    void name() {
        entries = temporary.resolve("weir/directory");
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("weir.runtime-folder", temporary.resolve("weir").toString());
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(entries)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static String text(UUID id, String name) {
        return "weir-directory 1\nnode " + id + " " + name + " 7 host 0\nservice tax tax false\nend\n";
    }

    private void makeFolder() {
        RuntimeFolder.open(RuntimeFolder.open(temporary.resolve("weir")).resolve("directory"));
    }

    /** What a process leaves behind that is dead. */
    private void leaveBehind(String name, boolean locked) throws IOException {
        UUID id = UUID.randomUUID();
        if (locked) {
            Files.createFile(entries.resolve(DEAD + "." + id + ".0.lock"));
        }
        Files.writeString(entries.resolve(DEAD + "." + id + ".0.node"), text(id, name));
    }

    @Test
    void theDeadAreFoundByWhoeverLooksAndSweptAway(Nodes nodes) throws IOException {
        makeFolder();
        List<ServiceDirectory> directories = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            directories.add(open(nodes.start(spec("node-" + i))));
        }
        List<DirectoryEvents> seen =
                directories.stream().map(DirectoryEvents::new).toList();
        for (int i = 0; i < 30; i++) {
            leaveBehind("dead", i % 3 != 0);
        }
        for (DirectoryEvents each : seen) {
            Patience.until(() -> "all dead are gone: " + each.of("dead"), () -> {
                long joined = each.of("dead").stream()
                        .filter(event -> event.startsWith("JOINED"))
                        .count();
                long failed = each.of("dead").stream()
                        .filter(event -> event.startsWith("FAILED"))
                        .count();
                return joined == failed && each.tax().isEmpty();
            });
            assertThat(each.of("dead")).noneMatch(event -> event.startsWith("LEFT"));
            each.close();
        }
        Patience.until("no locks of the dead", () -> {
            try {
                return files().stream().noneMatch(file -> file.startsWith(DEAD) && !file.endsWith(".failed"));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        for (Path file : paths(entries)) {
            if (file.toString().endsWith(".failed")) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofMinutes(1))));
            }
        }
        Patience.until("no marks of the dead", () -> {
            try {
                return files().stream().noneMatch(file -> file.startsWith(DEAD));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        Patience.until(
                () -> "nobody sees the dead: " + directories.get(0).snapshot(),
                () -> directories.get(0).snapshot().size() == 4);
    }

    private static Path[] paths(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toArray(Path[]::new);
        }
    }

    /** At one stroke, by moving it away first: a node that sees its entry go writes it anew at once. */
    private void removeFolder() throws IOException {
        Path gone = Files.move(entries, temporary.resolve("gone"));
        for (Path file : paths(gone)) {
            Files.delete(file);
        }
        Files.delete(gone);
    }

    @Test
    void aFolderThatIsRemovedIsMadeAgain(Nodes nodes) throws IOException {
        Node near = nodes.start(spec("near"));
        Node far = nodes.start(spec("far"));
        ServiceDirectory ofNear = open(near);
        ServiceDirectory ofFar = open(far);
        ofFar.announce(Announcer.tax(far)).then().block(Patience.LIMIT);
        try (DirectoryEvents seen = new DirectoryEvents(ofNear)) {
            seen.awaitTax(1);
            for (int round = 0; round < 3; round++) {
                removeFolder();
                Patience.until("both are there again", () -> {
                    try {
                        return Files.exists(entries)
                                && files().stream()
                                                .filter(file -> file.endsWith(".node"))
                                                .count()
                                        == 2;
                    } catch (IOException e) {
                        return false;
                    }
                });
            }
            ofFar.attributes(Map.of("after", "that")).block(Patience.LIMIT);
            seen.await("far", "JOINED far{}", "CHANGED far{after=that}");
            assertThat(seen.tax()).hasSize(1);
            ofFar.close().block(Patience.LIMIT);
            seen.await("far", "JOINED far{}", "CHANGED far{after=that}", "LEFT far{after=that}");
        }
    }

    @Test
    void whateverElseLiesThereIsPassedOver(Nodes nodes) throws IOException {
        makeFolder();
        UUID id = UUID.randomUUID();
        Path wellNamed = entries.resolve(DEAD + "." + id + ".0.node");
        Files.writeString(wellNamed, text(UUID.randomUUID(), "liar"));
        Files.write(entries.resolve(DEAD + "." + UUID.randomUUID() + ".1.node"), new byte[1 << 20]);
        Files.writeString(entries.resolve(DEAD + "." + UUID.randomUUID() + ".2.node"), "weir-directory 1\nnode");
        Files.createDirectory(entries.resolve(DEAD + "." + UUID.randomUUID() + ".3.node"));
        Files.createDirectory(entries.resolve(DEAD + "." + UUID.randomUUID() + ".4.lock"));
        Files.createSymbolicLink(entries.resolve(DEAD + "." + UUID.randomUUID() + ".5.node"), wellNamed);
        Files.writeString(entries.resolve("README"), "hello");
        Files.write(entries.resolve("x".repeat(200)), "hello".getBytes(UTF_8));
        try (LogLines log = LogLines.everything()) {
            ServiceDirectory directory = open(nodes.start(spec("near")));
            try (Child child = child();
                    DirectoryEvents seen = new DirectoryEvents(directory)) {
                seen.awaitTax(1);
            }
            assertThat(directory.snapshot())
                    .extracting(Member::id)
                    .allMatch(node -> !node.name().equals("liar"));
            assertThat(log.of(Level.WARN))
                    .hasSize(3)
                    .allSatisfy(line -> assertThat(line).contains("An entry of the service directory is passed over"))
                    .anySatisfy(line -> assertThat(line).contains("whose entry has another name"))
                    .anySatisfy(line -> assertThat(line).contains("it has more than 16384 bytes"))
                    .anySatisfy(line -> assertThat(line).contains("it does not end as it should"));
            directory.close().block(Patience.LIMIT);
        }
        assertThat(files()).contains("README", "x".repeat(200));
    }

    @Test
    void aFolderThatCanNotBeUsedIsNamedWithTheRemedy(Nodes nodes) throws IOException {
        RuntimeFolder.open(temporary.resolve("weir"));
        Files.createFile(entries);
        Node near = nodes.start(spec("near"));
        assertThatThrownBy(() -> open(near))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("the run-time folder " + entries
                        + " is not a folder; remove it or name another one, weir.runtime-folder (it belongs to uid "
                        + Files.getAttribute(entries, "unix:uid") + ")");
    }

    @Test
    void withoutADirectoryOnlyTheConfigurationTells(Nodes nodes) throws IOException {
        NodeSpec spec = spec("near").toBuilder()
                .properties(Map.of("weir.directory", "off", "weir.services.tax.addresses", "a:1, tcp://b:2"))
                .build();
        Node near = nodes.start(spec);
        ServiceDirectory directory = open(near);
        List<ServiceInstance> fixed = List.of(
                ServiceInstance.at("tax", new PeerAddress("a", 1)), ServiceInstance.at("tax", new PeerAddress("b", 2)));
        assertThat(directory.instances("tax").blockFirst(Patience.LIMIT)).isEqualTo(fixed);
        assertThat(fixed).noneMatch(ServiceInstance::isIdentified);
        ServiceInstance own = Announcer.tax(near);
        directory.announce(own).then().block(Patience.LIMIT);
        assertThat(directory.instances("tax").blockFirst(Patience.LIMIT))
                .containsExactly(own, fixed.get(0), fixed.get(1));
        assertThat(directory.snapshot()).extracting(Member::id).containsExactly(near.id());
        assertThat(entries).doesNotExist();
        directory.close().block(Patience.LIMIT);
    }
}
