package io.weir.samples;

import io.weir.channel.Node;
import io.weir.channel.PeerStats;
import io.weir.config.NodeSpec;
import io.weir.core.PeerAddress;
import io.weir.service.socket.WeirSockets;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.rmi.server.RMISocketFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir rmi}: runs a program that uses Java RMI, unchanged, over the channels of a node. */
@Command(
        name = "rmi",
        description = "Runs a program that uses Java RMI, unchanged, over the fastest path to each peer.",
        footer = {
            "",
            "Both sides have to be run so, a registry as well. Reads the settings of a node: system",
            "properties weir.* (through WEIR_JAVA_OPTS) and the environment WEIR_*."
        },
        mixinStandardHelpOptions = true)
final class Rmi implements Callable<Integer> {

    private static final String HOST = "java.rmi.server.hostname";

    @Spec
    private CommandSpec command;

    @Option(
            names = {"--class-path", "-cp"},
            paramLabel = "PATH",
            description = "Where the program's classes are, as for java.")
    private String classPath = ".";

    @Option(names = "--report", description = "Tells at the end over which path how much has gone to each peer.")
    private boolean report;

    @Parameters(index = "0", paramLabel = "MAIN", description = "The class whose main is run.")
    private String main;

    @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "What it is told.")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws IOException, ReflectiveOperationException {
        Method begin = find();
        Node node = Node.start(NodeSpec.fromSystem()).blockOptional().orElseThrow();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(node), "weir-rmi-end"));
        // What RMI writes into its stubs: elsewhere the node would not be found.
        System.getProperties().putIfAbsent(HOST, host(node));
        WeirSockets.use(node);
        RMISocketFactory.setSocketFactory(WeirSockets.of(node).rmiSocketFactory());
        return run(begin);
    }

    private Method find() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            urls.add(new File(entry.isEmpty() ? "." : entry).toURI().toURL());
        }
        // The program's for as long as it runs.
        URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), Rmi.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        try {
            return loader.loadClass(main).getMethod("main", String[].class);
        } catch (ClassNotFoundException | NoSuchMethodException e) {
            throw new ParameterException(
                    command.commandLine(),
                    main + " can't be run from " + classPath + ": it has no main, or is not there.");
        }
    }

    private static String host(Node node) {
        PeerAddress address = node.address();
        return address.isUnix() ? "127.0.0.1" : address.host();
    }

    private int run(Method begin) throws IllegalAccessException {
        try {
            begin.setAccessible(true);
            begin.invoke(null, (Object) arguments.toArray(String[]::new));
            return 0;
        } catch (InvocationTargetException e) {
            // As java does.
            Objects.requireNonNull(e.getCause())
                    .printStackTrace(command.commandLine().getErr());
            return command.exitCodeOnExecutionException();
        }
    }

    private void end(Node node) {
        if (report) {
            PrintWriter err = command.commandLine().getErr();
            for (PeerStats each : node.stats()) {
                err.printf(
                        "weir: %s over %s: %d bytes sent, %d received%n",
                        each.peer(), each.path(), each.bytesSent(), each.bytesReceived());
            }
            err.flush();
        }
        node.close().block();
    }
}
