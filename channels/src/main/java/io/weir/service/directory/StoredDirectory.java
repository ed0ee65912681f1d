package io.weir.service.directory;

import io.weir.channel.Node;
import io.weir.config.NodeDefaults;
import io.weir.config.NodeSpec;
import io.weir.config.ZooKeeperSpec;
import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A directory over a {@link DirectoryStore}. One thread of its own uses the store and owns what this node announces.
 */
final class StoredDirectory implements ServiceDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectory.class);

    private final ScheduledThreadPoolExecutor worker;
    private final View view;
    private final DirectoryStore store;
    private final boolean observes;
    private final Map<Key, ServiceInstance> announced = new LinkedHashMap<>();
    private final Disposable.Swap nodeEnds = Disposables.swap();
    private final Mono<Void> closed =
            Mono.<Void>create(sink -> closeOnWorker(sink::success)).cache();
    private @Nullable Member self;

    /** What a node can serve once. */
    private record Key(String service, String port) {

        static Key of(ServiceInstance instance) {
            return new Key(instance.service(), instance.port());
        }
    }

    private StoredDirectory(NodeSpec spec, @Nullable Node node) {
        worker = worker(spec.name());
        view = new View(fixed(spec));
        observes = node == null;
        store = store(spec, node);
        self = node == null ? null : member(node);
    }

    /** @param node who becomes a member; null: nobody, who only looks */
    static Mono<ServiceDirectory> open(NodeSpec spec, @Nullable Node node) {
        return Mono.defer(() -> {
            StoredDirectory opening = new StoredDirectory(spec, node);
            AtomicBoolean handedOver = new AtomicBoolean();
            return opening.begin(node)
                    .onErrorResume(error -> opening.close().then(Mono.error(error)))
                    .doOnNext(open -> handedOver.set(true))
                    .doOnCancel(() -> {
                        if (!handedOver.get()) {
                            opening.close().subscribe();
                        }
                    });
        });
    }

    private static ScheduledThreadPoolExecutor worker(String name) {
        ScheduledThreadPoolExecutor worker = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "weir-directory-" + name);
            thread.setDaemon(true);
            return thread;
        });
        worker.setRemoveOnCancelPolicy(true);
        worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return worker;
    }

    private static List<ServiceInstance> fixed(NodeSpec spec) {
        List<ServiceInstance> fixed = new ArrayList<>();
        spec.services()
                .forEach((service, settings) ->
                        settings.addresses().forEach(address -> fixed.add(ServiceInstance.at(service, address))));
        return List.copyOf(fixed);
    }

    private DirectoryStore store(NodeSpec spec, @Nullable Node node) {
        return switch (spec.directory()) {
            case LOCAL ->
                new FolderStore(spec.runtimeFolder(), node == null ? null : node.id(), view, worker, new EntryRoom());
            case OFF -> new NoStore();
            case ZOOKEEPER -> zooKeeper(spec.zooKeeper(), node);
        };
    }

    private DirectoryStore zooKeeper(ZooKeeperSpec spec, @Nullable Node node) {
        Class<?> here = StoredDirectory.class;
        // Its jars share packages and so can't be modules: they are on the class path even where we are not.
        var unused = here.getModule().addReads(here.getClassLoader().getUnnamedModule());
        try {
            return new ZooKeeperStore(spec, node == null ? null : node.id(), view, worker);
        } catch (NoClassDefFoundError e) {
            throw incomplete(e);
        }
    }

    private static Misconfigured incomplete(NoClassDefFoundError absent) {
        return new Misconfigured(
                "weir.directory=zookeeper needs org.apache.curator:curator-recipes and org.apache.zookeeper:zookeeper"
                        + " on the class path, and " + absent.getMessage() + " is missing",
                absent);
    }

    private static Member member(Node node) {
        return new Member(
                node.id(),
                NodeDefaults.name(),
                node.advertised(),
                Map.of(),
                Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }

    private Mono<ServiceDirectory> begin(@Nullable Node node) {
        return onWorker(() -> {
            store.open();
            if (self != null) {
                publish(self);
            }
            if (node != null) {
                var unused = nodeEnds.replace(node.closed().subscribe(null, null, () -> close().subscribe()));
            }
            return this;
        });
    }

    /** Once per subscriber, on the worker; goes on when the subscriber cancels. */
    private <T> Mono<T> onWorker(Callable<? extends T> task) {
        return Mono.create(sink -> {
            try {
                worker.execute(() -> {
                    try {
                        sink.success(task.call());
                    } catch (IOException e) {
                        sink.error(failed(e));
                    } catch (Throwable t) {
                        sink.error(t instanceof NoClassDefFoundError absent ? incomplete(absent) : t);
                    }
                });
            } catch (RejectedExecutionException e) {
                sink.error(new IllegalStateException("the directory is closed", e));
            }
        });
    }

    private static WeirException failed(Exception e) {
        return new Misconfigured("the service directory can't be used: " + e, e);
    }

    private void publish(Member member) throws IOException {
        Listing listing = new Listing(member, List.copyOf(announced.values()));
        store.publish(listing);
        self = member;
        view.put(listing);
    }

    private Member self() {
        if (self == null) {
            throw new IllegalStateException(
                    observes ? "who only observes a directory tells nothing there" : "the directory is closed");
        }
        return self;
    }

    @Override
    public Mono<Registration> announce(ServiceInstance instance) {
        return onWorker(() -> {
            ServiceInstance ours = checked(instance);
            Key key = Key.of(ours);
            if (announced.containsKey(key)) {
                throw new Misconfigured("the service '" + ours.service() + "' is announced already on port '"
                        + ours.port() + "': withdraw that first");
            }
            replace(key, ours);
            return new Announcement(ours);
        });
    }

    private ServiceInstance checked(ServiceInstance instance) {
        Names.check("a service", instance.service());
        Names.check("a port", instance.port());
        instance.paths().forEach(path -> Names.check("a path", path));
        if (!instance.node().equals(self().id())) {
            throw new IllegalArgumentException(
                    "this directory announces what " + self().id() + " serves, not what " + instance.node() + " does");
        }
        return instance;
    }

    /** All or nothing: what could not be published is not announced. */
    private void replace(Key key, @Nullable ServiceInstance instance) throws IOException {
        ServiceInstance before = instance == null ? announced.remove(key) : announced.put(key, instance);
        try {
            publish(self());
        } catch (IOException | RuntimeException e) {
            if (before == null) {
                announced.remove(key);
            } else {
                announced.put(key, before);
            }
            throw e;
        }
    }

    @Override
    public Flux<List<ServiceInstance>> instances(String service) {
        return view.instances(service);
    }

    @Override
    public Flux<MemberEvent> members() {
        return view.members();
    }

    @Override
    public List<Member> snapshot() {
        return view.snapshot();
    }

    @Override
    public Mono<Void> attributes(Map<String, String> attributes) {
        return onWorker(() -> {
            Member had = self();
            publish(new Member(had.id(), had.host(), had.addresses(), attributes, had.since()));
            return null;
        });
    }

    @Override
    public Mono<Void> close() {
        return closed;
    }

    private void closeOnWorker(Runnable done) {
        nodeEnds.dispose();
        worker.execute(() -> {
            try {
                store.close();
            } catch (RuntimeException e) {
                LOG.warn("The service directory did not close as it should", e);
            }
            self = null;
            view.close();
            worker.shutdown();
            done.run();
        });
    }

    /** What {@link #announce} has given out. */
    private final class Announcement implements Registration {

        private volatile ServiceInstance instance;
        /** Of the worker. */
        private boolean withdrawn;

        Announcement(ServiceInstance instance) {
            this.instance = instance;
        }

        @Override
        public ServiceInstance instance() {
            return instance;
        }

        @Override
        public Mono<Void> attributes(Map<String, String> attributes) {
            return onWorker(() -> {
                if (withdrawn) {
                    throw new IllegalStateException("the announcement of '" + instance.service() + "' is withdrawn");
                }
                ServiceInstance had = instance;
                ServiceInstance now = had.withAttributes(attributes);
                replace(Key.of(had), now);
                instance = now;
                return null;
            });
        }

        @Override
        public Mono<Void> withdraw() {
            return Mono.defer(() -> worker.isShutdown()
                    ? Mono.<Void>empty()
                    : onWorker(() -> {
                        if (!withdrawn && self != null) {
                            replace(Key.of(instance), null);
                        }
                        withdrawn = true;
                        return null;
                    }));
        }
    }
}
