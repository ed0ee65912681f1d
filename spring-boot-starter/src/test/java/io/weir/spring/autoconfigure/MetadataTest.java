package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.NodeSpec;
import io.weir.core.Transport;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.Name;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What editors are told of the properties is all of them, and true. */
class MetadataTest {

    private static final Pattern SETTING = Pattern.compile("`(weir\\.[a-z.-]+)`");

    private static Map<String, JsonNode> metadata() throws Exception {
        try (InputStream json = Objects.requireNonNull(
                WeirProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            Map<String, JsonNode> properties = new TreeMap<>();
            for (JsonNode each : JsonMapper.shared().readTree(json).get("properties")) {
                if (each.get("name").asString().startsWith("weir.")) {
                    properties.put(each.get("name").asString(), each);
                }
            }
            return properties;
        }
    }

    /** Names of what the record has, but for what is below names of the user's choice. */
    private static Set<String> names(String prefix, Class<?> type) {
        Set<String> names = new TreeSet<>();
        var parameters = type.getDeclaredConstructors()[0].getParameters();
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Name said = parameters[i].getAnnotation(Name.class);
            String name = said != null
                    ? said.value()
                    : components[i]
                            .getName()
                            .replaceAll("([a-z])([A-Z])", "$1-$2")
                            .toLowerCase(java.util.Locale.ROOT);
            if (components[i].getType().isRecord()) {
                names.addAll(names(prefix + name + '.', components[i].getType()));
            } else {
                names.add(prefix + name);
            }
        }
        return names;
    }

    @Test
    void everyComponentHasItsMetadataAndNothingElseBut() throws Exception {
        Set<String> described = new TreeSet<>(metadata().keySet());
        described.removeIf(name -> name.startsWith("weir.transport."));
        assertThat(described).isEqualTo(names("weir.", WeirProperties.class));
    }

    @Test
    void everySettingOfTheManualHasMetadata() throws Exception {
        Path manual = Path.of("..", "docs", "configuration.md");
        Set<String> settings = new TreeSet<>();
        for (String line : Files.readAllLines(manual)) {
            Matcher matcher = SETTING.matcher(line);
            if (line.startsWith("| `weir.") && matcher.find() && matcher.start() == 2) {
                settings.add(matcher.group(1));
            }
        }
        assertThat(settings).hasSizeGreaterThan(60).isSubsetOf(metadata().keySet());
    }

    @Test
    void everyOptionOfAnAdapterHasMetadata() throws Exception {
        Set<String> options = ServiceLoader.load(Transport.class).stream()
                .map(ServiceLoader.Provider::get)
                .flatMap(adapter ->
                        adapter.options().stream().map(option -> "weir.transport." + adapter.name() + '.' + option))
                .collect(Collectors.toSet());
        assertThat(options).isNotEmpty().isSubsetOf(metadata().keySet());
        Set<String> described = new TreeSet<>(metadata().keySet());
        described.removeIf(name -> !name.matches("weir\\.transport\\.[a-z0-9]+\\..*"));
        assertThat(described).isEqualTo(new TreeSet<>(options));
    }

    static Stream<JsonNode> properties() throws Exception {
        return metadata().values().stream();
    }

    @ParameterizedTest
    @MethodSource("properties")
    void describesInTheWayOfBoot(JsonNode property) {
        String description = property.get("description").asString();
        assertThat(description).endsWith(".").doesNotStartWith("The ").doesNotStartWith("A ");
        String type = property.get("type").asString();
        if (type.equals("java.lang.Boolean")) {
            assertThat(description).startsWith("Whether ");
        }
        if (type.startsWith("java.util.List")) {
            assertThat(description).startsWith("Comma-separated list of ");
        }
    }

    @ParameterizedTest
    @MethodSource("properties")
    void tellsTheDefaultThatANodeHas(JsonNode property) {
        JsonNode value = property.get("defaultValue");
        String name = property.get("name").asString();
        if (value == null || isOfStarter(name) || !known(name)) {
            return;
        }
        NodeSpec.Builder builder = NodeSpec.builder();
        NodeSpec said = builder.properties(Map.of(name, text(value))).build();
        if (name.matches("weir\\.transport\\.[a-z0-9]+\\..*")) {
            // What an adapter makes of an option that is not set, only it knows: it takes this value.
            assertThat(said.transportOptions()).isNotEmpty();
        } else if (name.startsWith("weir.transport.") && !name.endsWith(".order")) {
            assertThat(value.asString()).isEqualTo("on");
        } else {
            assertThat(said.toString()).isEqualTo(NodeSpec.builder().build().toString());
        }
    }

    private static boolean isOfStarter(String name) {
        return name.matches("weir\\.(enabled|codec|(observation|discovery|metrics|page)\\..*)");
    }

    private static boolean known(String name) {
        return !name.startsWith("weir.peers") && !name.startsWith("weir.ports") && !name.startsWith("weir.services");
    }

    private static String text(JsonNode value) {
        if (!value.isArray()) {
            return value.asString();
        }
        List<String> items = new ArrayList<>();
        value.forEach(item -> items.add(item.asString()));
        return String.join(", ", items);
    }

    @Test
    void hintsAreForWhatThereIs() throws Exception {
        try (InputStream json = Objects.requireNonNull(
                WeirProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            Set<String> names = metadata().keySet();
            List<String> hinted = new ArrayList<>();
            JsonMapper.shared()
                    .readTree(json)
                    .get("hints")
                    .forEach(hint -> hinted.add(hint.get("name").asString()));
            hinted.sort(Comparator.naturalOrder());
            assertThat(hinted).isNotEmpty().allMatch(name -> names.contains(name.replaceFirst("\\.keys$", "")));
        }
    }
}
