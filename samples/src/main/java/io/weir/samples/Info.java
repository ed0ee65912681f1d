package io.weir.samples;

import io.weir.config.NodeSpec;
import io.weir.core.Transport;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** {@code weir info}: which paths this process could use, and why not the others. */
@Command(
        name = "info",
        description = "Tells which paths could be used from here, and why the others could not.",
        footer = {
            "",
            "Reads the same settings as a node: system properties weir.* (through WEIR_JAVA_OPTS)",
            "and the environment WEIR_*."
        },
        mixinStandardHelpOptions = true)
final class Info implements Runnable {

    @Spec
    private CommandSpec command;

    @Option(names = "--json", description = "Prints JSON.")
    private boolean json;

    @Override
    public void run() {
        // The spec first: it refuses adapters that can't be loaded or that share a name, in words.
        InfoReport report = InfoReport.of(NodeSpec.fromSystem(), adapters());
        if (json) {
            command.commandLine()
                    .getOut()
                    .println(
                            JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        } else {
            InfoText.print(report, command.commandLine().getOut());
        }
    }

    static Map<String, Transport> adapters() {
        Map<String, Transport> adapters = new TreeMap<>();
        ServiceLoader.load(Transport.class).forEach(adapter -> adapters.put(adapter.name(), adapter));
        return adapters;
    }
}
