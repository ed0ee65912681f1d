package io.weir.samples.manual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.core.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page of all settings says what there is, no less and no more, with the defaults that are in force. */
@Tag("one-jdk")
class ConfigurationPageTest {

    private static final Path PAGE = Path.of("../docs/configuration.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(weir\\.[^`]+)` \\| ([^|]+?) \\| ([^|]+?) \\|$");

    /** Setting to default, as the tables of the page have it. */
    private static Map<String, String> rows() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        ROW.matcher(Files.readString(PAGE)).results().forEach(row -> rows.put(row.group(1), row.group(2)));
        return rows;
    }

    /** As the refusal of a wrong name lists them. */
    private static List<String> known() {
        Misconfigured refusal = catchThrowableOfType(
                Misconfigured.class,
                () -> NodeSpec.builder()
                        .properties(Map.of("weir.nonsense", "1"))
                        .build());
        String list = refusal.getMessage().replaceFirst("(?s).*Known: ", "");
        return Arrays.stream(list.split(", "))
                .filter(name -> !name.contains("…"))
                .toList();
    }

    @Test
    void everySettingIsListed() throws IOException {
        assertThat(known()).hasSizeGreaterThan(10);
        assertThat(rows()).containsKeys(known().toArray(String[]::new));
    }

    @Test
    void everyOptionOfAnAdapterIsListed() throws IOException {
        Map<String, String> rows = rows();
        ServiceLoader.load(Transport.class)
                .forEach(adapter -> adapter.options()
                        .forEach(option ->
                                assertThat(rows).containsKey("weir.transport." + adapter.name() + '.' + option)));
    }

    @Test
    void whatIsListedExists() throws IOException {
        rows().keySet().stream()
                .map(setting -> setting.replace("<path>", "tcp")
                        .replace("<peer>", "p")
                        .replace("<port>", "q")
                        .replace("<service>", "s"))
                .forEach(setting -> assertThat(catchThrowableOfType(
                                Misconfigured.class,
                                () -> NodeSpec.builder()
                                        .peer("p", "tcp://127.0.0.1:1")
                                        .properties(Map.of(setting, "?"))
                                        .build()))
                        .satisfiesAnyOf(
                                refusal -> assertThat(refusal).isNull(),
                                refusal -> assertThat(refusal)
                                        .message()
                                        .doesNotContain("is no setting")
                                        .doesNotContain("is no option")));
    }

    /** A default in code type is literal: whoever sets it gets what is there already. */
    @Test
    void theDefaultsAreTrue() throws IOException {
        Map<String, String> literal = new LinkedHashMap<>(rows());
        literal.values().removeIf(text -> !text.matches("`[^`]+`"));
        literal.keySet().removeIf(setting -> setting.contains("<") || isOption(setting));
        assertThat(literal).hasSizeGreaterThan(10);
        literal.forEach((setting, text) -> assertThat(NodeSpec.builder()
                        .properties(Map.of(setting, text.replace("`", "")))
                        .build())
                .as(setting)
                .isEqualTo(NodeSpec.builder().build()));
    }

    private static boolean isOption(String setting) {
        return setting.startsWith("weir.transport.")
                && setting.chars().filter(c -> c == '.').count() > 2;
    }
}
