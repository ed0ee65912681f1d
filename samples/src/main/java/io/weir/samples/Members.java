package io.weir.samples;

import static io.weir.samples.DirectoryOptions.printable;

import io.weir.service.directory.Member;
import io.weir.service.directory.MemberEvent;
import io.weir.service.directory.ServiceDirectory;
import java.io.PrintWriter;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Mono;

/** {@code weir members}: the nodes that are in the directory. */
@Command(
        name = "members",
        description = "Prints the nodes that are in the service directory.",
        mixinStandardHelpOptions = true)
final class Members implements Runnable {

    @Spec
    private CommandSpec command;

    @Mixin
    private DirectoryOptions directory;

    @Option(names = "--watch", description = "Goes on, and prints what happens to them.")
    private boolean watch;

    @Override
    public void run() {
        directory.look(this::print);
    }

    private Publisher<?> print(ServiceDirectory directory) {
        PrintWriter out = command.commandLine().getOut();
        return watch
                ? directory.members().doOnNext(event -> print(out, event))
                : Mono.fromRunnable(() -> directory.snapshot().forEach(member -> print(out, member)));
    }

    private static void print(PrintWriter out, MemberEvent event) {
        out.print(event.kind() + "  ");
        print(out, event.member());
    }

    private static void print(PrintWriter out, Member member) {
        out.println(printable(member.id() + "  " + member.host() + "  " + member.addresses() + "  since "
                + member.since() + (member.attributes().isEmpty() ? "" : "  " + member.attributes())));
        out.flush();
    }
}
