package io.weir.samples;

import io.weir.samples.broadcast.Broadcast;
import io.weir.samples.calls.Calls;
import io.weir.samples.demo.GatewayDemo;
import io.weir.samples.files.FileSample;
import io.weir.samples.prices.Prices;
import io.weir.samples.shop.Shop;
import io.weir.samples.stages.Stages;
import io.weir.samples.steering.Steering;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir sample} */
@Command(
        name = Samples.NAME,
        description = "Runs a sample: a page of code, between two or more processes.",
        mixinStandardHelpOptions = true)
final class Samples implements Runnable {

    static final String NAME = "sample";

    private static final List<Class<?>> ALL = List.of(
            Calls.class,
            Prices.class,
            FileSample.class,
            Stages.class,
            Broadcast.class,
            Steering.class,
            RmiSample.class,
            GatewayDemo.class,
            Shop.class);

    @Spec
    private CommandSpec command;

    /** Adds all samples to the command of this class. */
    static void addTo(CommandLine sample) {
        ALL.forEach(sample::addSubcommand);
    }

    /** Called without a name: says which there are. */
    @Override
    public void run() {
        throw new ParameterException(command.commandLine(), "Name a sample.");
    }
}
