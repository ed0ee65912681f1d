package io.weir.samples;

import static io.weir.samples.DirectoryOptions.printable;

import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.io.PrintWriter;
import java.util.List;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;

/** {@code weir services}: who serves something. */
@Command(
        name = "services",
        description = "Prints the instances of services, as the service directory has them.",
        mixinStandardHelpOptions = true)
final class Services implements Runnable {

    @Spec
    private CommandSpec command;

    @Mixin
    private DirectoryOptions directory;

    @Parameters(paramLabel = "SERVICE", arity = "1..*", description = "The names of the services.")
    private List<String> services;

    @Option(names = "--watch", description = "Goes on, and prints them anew when they change.")
    private boolean watch;

    @Override
    public void run() {
        directory.look(this::print);
    }

    private Publisher<?> print(ServiceDirectory directory) {
        PrintWriter out = command.commandLine().getOut();
        return Flux.fromIterable(services)
                .flatMap(service -> directory
                        .instances(service)
                        .take(watch ? Long.MAX_VALUE : 1)
                        .doOnNext(instances -> print(out, service, instances)));
    }

    private static void print(PrintWriter out, String service, List<ServiceInstance> instances) {
        out.println(printable(service) + ": " + instances.size());
        for (ServiceInstance instance : instances) {
            out.println(printable("  " + instance.node() + "  port " + instance.port() + "  " + instance.addresses()
                    + (instance.password() ? "  password" : "")
                    + (instance.paths().isEmpty() ? "" : "  paths " + instance.paths())
                    + (instance.attributes().isEmpty() ? "" : "  " + instance.attributes())));
        }
        out.flush();
    }
}
