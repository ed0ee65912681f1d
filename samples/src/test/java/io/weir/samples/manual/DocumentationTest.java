package io.weir.samples.manual;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the manual shows is what the build compiles and the other tests here run. */
@Tag("one-jdk")
class DocumentationTest {

    private static final Path ROOT = Path.of("..");
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
    private static final Pattern REGION = Pattern.compile("(?ms)^ *// tag::(\\w+)\\n(.*?)^ *// end::\\1$");
    private static final Pattern LINK = Pattern.compile("\\[[^]\\n]+]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

    /** A block of code in a document. */
    private record Block(Path document, String language, String text) {

        @Override
        public String toString() {
            return document.getFileName() + ": " + text.lines().findFirst().orElse("");
        }
    }

    static List<Path> documents() {
        return Stream.concat(
                        Stream.of(ROOT.resolve("README.md")),
                        walk(ROOT.resolve("docs"))
                                .filter(file -> file.toString().endsWith(".md")))
                .filter(file -> !file.getParent().endsWith("decisions"))
                .toList();
    }

    private static Stream<Path> walk(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Block> blocks(String language) {
        return documents().stream()
                .flatMap(document -> BLOCK.matcher(read(document))
                        .results()
                        .map(found -> new Block(document, found.group(1), found.group(2))))
                .filter(block -> block.language().equals(language));
    }

    static List<Block> javaBlocks() {
        return blocks("java").toList();
    }

    static List<Block> settings() {
        return blocks("properties").toList();
    }

    /** Tag to text, without the indentation that all of its lines share. */
    private static Map<String, String> regions() {
        Map<String, String> regions = new TreeMap<>();
        walk(SOURCES)
                .filter(file -> file.toString().endsWith(".java"))
                .forEach(file -> REGION.matcher(read(file)).results().forEach(found -> {
                    assertThat(regions).as("tags are unique").doesNotContainKey(found.group(1));
                    regions.put(found.group(1), found.group(2).stripTrailing().stripIndent() + '\n');
                }));
        return regions;
    }

    @ParameterizedTest
    @MethodSource("javaBlocks")
    void codeInTheManualIsCompiled(Block block) {
        assertThat(regions()).containsValue(block.text());
    }

    @Test
    void whatIsMarkedForTheManualIsInIt() {
        List<String> shown = javaBlocks().stream().map(Block::text).toList();
        assertThat(regions())
                .isNotEmpty()
                .allSatisfy((tag, text) -> assertThat(shown).as("tag " + tag).contains(text));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void settingsInTheManualAreUnderstood(Block block) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(block.text()));
        Map<String, String> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        assertThat(settings).isNotEmpty();
        assertThat(NodeSpec.builder().properties(settings).build())
                .isNotEqualTo(NodeSpec.builder().build());
    }

    @ParameterizedTest
    @MethodSource("documents")
    void linksLeadSomewhere(Path document) {
        List<String> broken = new ArrayList<>();
        Matcher links = LINK.matcher(read(document));
        while (links.find()) {
            String target = links.group(1);
            if (!target.contains("://") && !Files.exists(document.resolveSibling(target))) {
                broken.add(target);
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPageIsReachedFromTheReadme() {
        String readme = read(ROOT.resolve("README.md"));
        assertThat(documents().stream()
                        .map(ROOT::relativize)
                        .map(Path::toString)
                        .filter(page -> !page.equals("README.md"))
                        .collect(Collectors.toSet()))
                .allSatisfy(page -> assertThat(readme).contains("](" + page + ")"));
    }
}
