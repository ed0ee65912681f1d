package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What .editorconfig says of sources, and the formatter leaves as it is: comments, and texts between quotes. */
@Tag("one-jdk")
class SourcesTest {

    private static final int WIDTH = 120;

    private static final List<String> PRODUCT =
            List.of("flow-control", "reactive-core", "channels", "transports-native", "spring-boot-starter");

    @Test
    void noLineIsLongerThanAPageIsWide() throws IOException {
        Path house = Path.of("..", "..");
        List<String> tooLong = new ArrayList<>();
        int lines = 0;
        for (String module : PRODUCT) {
            for (Path source : sources(house.resolve(module).resolve("src/main/java"))) {
                int number = 0;
                for (String line : Files.readAllLines(source)) {
                    number++;
                    lines++;
                    // One word, such as the name of a class, can't be cut.
                    if (line.length() > WIDTH && line.strip().indexOf(' ') >= 0) {
                        tooLong.add(source + ":" + number);
                    }
                }
            }
        }
        assertThat(lines).isGreaterThan(10_000);
        assertThat(tooLong).isEmpty();
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
