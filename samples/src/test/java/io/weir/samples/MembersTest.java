package io.weir.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MembersTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String FOLDER = "weir.runtime-folder";

    @TempDir
    Path temporary;

    private final StringWriter out = new StringWriter();

    @BeforeEach
    void ownFolder() {
        System.setProperty(FOLDER, temporary.resolve("weir").toString());
    }

    @AfterEach
    void anyFolder() {
        System.clearProperty(FOLDER);
    }

    private String said(String... arguments) {
        CommandLine weir =
                Weir.commandLine(arguments).setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertThat(weir.execute(arguments)).as(out.toString()).isZero();
        return out.toString();
    }

    @Test
    void printsWhoIsThereAndWhoServes() {
        NodeSpec spec = NodeSpec.fromSystem().toBuilder().name("till").build();
        Node node = Objects.requireNonNull(Node.start(spec).block(LIMIT));
        ServiceDirectory directory =
                Objects.requireNonNull(ServiceDirectory.open(node).block(LIMIT));
        directory
                .announce(new ServiceInstance(
                        "tax", node.id(), node.addresses(), "taxes", true, List.of(), Map.of("zone", "a\u001b[2J")))
                .then()
                .block(LIMIT);
        assertThat(said("members"))
                .startsWith(node.id() + "  ")
                .contains(node.address().toString());
        out.getBuffer().setLength(0);
        assertThat(said("services", "tax", "other"))
                .isEqualTo(String.format(
                        "tax: 1%n  %s  port taxes  [%s]  password  {zone=a?[2J}%nother: 0%n",
                        node.id(), node.address()));
        node.close().block(LIMIT);
        directory.close().block(LIMIT);
    }

    @Test
    void anEmptyDirectoryIsNoError() {
        assertThat(said("members")).isEmpty();
    }
}
