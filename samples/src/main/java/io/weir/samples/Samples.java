package io.weir.samples;

import io.weir.samples.broadcast.Broadcast;
import io.weir.samples.calls.Calls;
import io.weir.samples.demo.GatewayDemo;
import io.weir.samples.files.FileSample;
import io.weir.samples.prices.Prices;
import io.weir.samples.shop.Shop;
import io.weir.samples.stages.Stages;
import io.weir.samples.steering.Steering;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir sample} */
@Command(
        name = "sample",
        description = "Runs a sample: a page of code, between two or more processes.",
        mixinStandardHelpOptions = true,
        subcommands = {
            Calls.class,
            Prices.class,
            FileSample.class,
            Stages.class,
            Broadcast.class,
            Steering.class,
            RmiSample.class,
            GatewayDemo.class,
            Shop.class
        })
final class Samples implements Runnable {

    @Spec
    private CommandSpec command;

    /** Called without a name: says which there are. */
    @Override
    public void run() {
        throw new ParameterException(command.commandLine(), "Name a sample.");
    }
}
