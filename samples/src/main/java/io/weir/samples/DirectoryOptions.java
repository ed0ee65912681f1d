package io.weir.samples;

import io.weir.config.DirectoryKind;
import io.weir.config.NodeSpec;
import io.weir.config.ZooKeeperSpec;
import io.weir.core.ForeignText;
import io.weir.service.directory.ServiceDirectory;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/** Which directory is looked at. */
final class DirectoryOptions {

    @Option(
            names = "--zookeeper",
            paramLabel = "HOST:PORT",
            description = "Looks into ZooKeeper there, instead of where the settings say.")
    private @Nullable String zooKeeper;

    @Option(names = "--root", paramLabel = "PATH", description = "The node of ZooKeeper below which the directory is.")
    private @Nullable String root;

    NodeSpec spec() {
        NodeSpec spec = NodeSpec.fromSystem();
        ZooKeeperSpec at = spec.zooKeeper();
        if (zooKeeper != null) {
            at = at.connect(zooKeeper);
        }
        if (root != null) {
            at = at.root(root);
        }
        DirectoryKind kind = zooKeeper == null ? spec.directory() : DirectoryKind.ZOOKEEPER;
        return spec.toBuilder().zooKeeper(at).directory(kind).build();
    }

    /** Opens the directory, does this, and closes it. Returns when that is over. */
    void look(Function<ServiceDirectory, Publisher<?>> what) {
        Flux.usingWhen(ServiceDirectory.observe(spec()), what, ServiceDirectory::close)
                .then()
                .block(Duration.ofDays(365));
    }

    /** What others have written, without what a terminal would obey. */
    static String printable(Object text) {
        return ForeignText.harmless(text.toString());
    }
}
