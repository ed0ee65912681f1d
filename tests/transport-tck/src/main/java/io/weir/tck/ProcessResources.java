package io.weir.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What this process holds of the system: open descriptors, mappings of memory that can be shared, threads. Each is
 * named, so that a surplus says what it is.
 */
record ProcessResources(List<String> descriptors, List<String> mappings, List<String> threads) {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    /** Files that the JVM opens when it needs them, once and for all: classes, native libraries, sources of entropy. */
    private static final Pattern OF_THE_JVM = Pattern.compile(
            ".*\\.(jar|so|so\\.\\d+|jsa|class|jmod)( \\(deleted\\))?|.*/lib/modules|/dev/u?random|/proc/.*");

    private static final Pattern SOCKET = Pattern.compile("\\d+ -> socket:\\[(\\d+)]");

    /**
     * Threads that start on first use and stay: of the JVM, the test runner, the shared executors of Netty, Reactor and
     * OkHttp.
     */
    private static final Pattern SHARED_THREADS = Pattern.compile(
            "VirtualThread-.*|OkHttp TaskRunner|Okio Watchdog|RMI .*|GC Daemon|"
                    + "globalEventExecutor.*|ForkJoinPool.*|Common-Cleaner"
                    + "|process reaper.*|surefire.*|junit.*|JFR.*|Attach.*|Finalizer|Reference Handler|Cleaner-\\d+"
                    + "|(parallel|single|boundedElastic|weir-keys)(-evictor)?-\\d+|CompletableFutureDelayScheduler|logback.*");

    /** What there is now. */
    static ProcessResources now() {
        return new ProcessResources(openDescriptors(), sharedMappings(), runningThreads());
    }

    /** What is here and was not there before, as sentences. */
    List<String> without(ProcessResources before) {
        List<String> surplus = new ArrayList<>();
        without("open descriptor", descriptors, before.descriptors, surplus);
        without("shared mapping", mappings, before.mappings, surplus);
        without("thread", threads, before.threads, surplus);
        return surplus;
    }

    private static void without(String what, Collection<String> now, Collection<String> before, List<String> surplus) {
        List<String> more = new ArrayList<>(now);
        before.forEach(more::remove);
        more.forEach(name -> surplus.add(what + ": " + name + socket(name)));
    }

    /** What the system says of a socket: its ends and its state, or its path. */
    private static String socket(String name) {
        Matcher socket = SOCKET.matcher(name);
        if (!socket.matches()) {
            return "";
        }
        String inode = socket.group(1);
        List<String> said = new ArrayList<>();
        for (String kind : List.of("tcp", "tcp6", "udp", "unix")) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/net", kind))) {
                lines.filter(line -> List.of(line.strip().split("\\s+")).contains(inode))
                        .forEach(line -> said.add(kind + ' ' + line.strip()));
            } catch (IOException | UncheckedIOException e) {
                // Not on this system; the socket is named all the same.
            }
        }
        return said.isEmpty() ? ", neither bound nor connected" : ", " + String.join("; ", said);
    }

    /** Uses sockets and selectors once: the JVM keeps some descriptors of its first use for good. */
    static void warmUp() {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.getLocalPort());
                Socket accepted = listener.accept();
                Selector selector = Selector.open()) {
            accepted.getOutputStream().write(1);
            if (socket.getInputStream().read() != 1 || selector.selectNow() != 0) {
                throw new IllegalStateException("the loopback network is broken");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("sockets on the loopback network", e);
        }
    }

    /** By their groups: to ask for their stacks stops them all. */
    private static List<String> runningThreads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        Thread[] found = new Thread[2 * all.activeCount() + 16];
        int count = all.enumerate(found);
        while (count == found.length) {
            found = new Thread[2 * found.length];
            count = all.enumerate(found);
        }
        return Arrays.stream(found, 0, count)
                .map(Thread::getName)
                .filter(name -> !SHARED_THREADS.matcher(name).matches())
                .toList();
    }

    private static List<String> openDescriptors() {
        List<String> open = new ArrayList<>();
        if (!Files.isDirectory(DESCRIPTORS)) {
            return open;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : all) {
                target(descriptor, open);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + DESCRIPTORS, e);
        }
        return open;
    }

    private static void target(Path descriptor, List<String> open) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            if (!OF_THE_JVM.matcher(target).matches()) {
                open.add(descriptor.getFileName() + " -> " + target);
            }
        } catch (IOException e) {
            // Closed since the folder was read, as the one that reads the folder always is.
        }
    }

    /** Memory files and shared memory without a name; what is private to the process is the JVM's own affair. */
    private static List<String> sharedMappings() {
        if (!Files.isReadable(MAPPINGS)) {
            return List.of();
        }
        try (Stream<String> lines = Files.lines(MAPPINGS)) {
            return lines.filter(line ->
                            line.contains("/memfd:") || line.contains("/dev/shm/") || line.contains("/dev/zero"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + MAPPINGS, e);
        }
    }
}
