package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.config.ZooKeeperSpec;
import io.weir.core.AuthenticationFailed;
import io.weir.core.Misconfigured;
import io.weir.core.PeerId;
import io.weir.core.PeerUnavailable;
import io.weir.core.RareLog;
import io.weir.core.WeirException;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what nodes announce in ZooKeeper, by Curator: {@code <root>/nodes/<entry>} is of one node, and goes with
 * its session. {@code <root>/left/<entry>} is its goodbye, which the next ones that leave remove after a while.
 * Everything is done on the directory's thread; those of Curator only hand over to it.
 */
final class ZooKeeperStore implements DirectoryStore {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectory.class);

    /** Milliseconds, by the server's clock, until a goodbye goes: all that are connected have seen it. */
    private static final long OLD = TimeUnit.MINUTES.toMillis(1);

    /** Goodbyes that one who leaves looks at: however many somebody has made, it does leave. */
    private static final int MOST_SWEPT = 256;

    /** Milliseconds until telling is tried again that has failed while the server was there. */
    private static final long AGAIN = 500;

    /**
     * A node may open several directories, one after the other or at once, which must not take each other's entry for
     * theirs.
     */
    private static final AtomicInteger MADE = new AtomicInteger();

    private final ZooKeeperSpec spec;
    /** The name of our entry, also when our session begins anew. */
    private final String own;

    private final @Nullable PeerId self;
    private final View view;
    private final ScheduledExecutorService worker;
    /** Curator would make one itself, and leave it behind. */
    private final ExecutorService callbacks = Executors.newSingleThreadExecutor(threads());

    private final CuratorFramework client;
    private final RareLog complaints = new RareLog(LOG, System::nanoTime);
    private final ZooKeeperEntries entries = new ZooKeeperEntries(complaints, new EntryRoom());
    private final ChangedNames changed = new ChangedNames();
    private final Map<String, PeerId> seen = new HashMap<>();
    private final CountDownLatch read = new CountDownLatch(1);
    private @Nullable CuratorCache cache;
    private @Nullable Listing told;
    private boolean closed;

    /** @param self the own node; null if there is none */
    ZooKeeperStore(ZooKeeperSpec spec, @Nullable PeerId self, View view, ScheduledExecutorService worker) {
        this.spec = spec;
        this.self = self;
        this.view = view;
        this.worker = worker;
        this.client = client(spec, callbacks);
        this.own = self == null ? "" : prefix(self) + MADE.getAndIncrement();
    }

    private static CuratorFramework client(ZooKeeperSpec spec, Executor callbacks) {
        int timeout = (int) spec.timeout().toMillis();
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(String.valueOf(spec.connect()))
                .connectionTimeoutMs(timeout)
                .sessionTimeoutMs((int) spec.session().toMillis())
                .maxCloseWaitMs(timeout)
                .threadFactory(threads())
                .runSafeService(callbacks)
                .retryPolicy(new RetryOneTime((int) Math.min(AGAIN, timeout)));
        if (spec.user() != null && spec.password() != null) {
            ByteArrayOutputStream who = new ByteArrayOutputStream();
            who.writeBytes((spec.user() + ':').getBytes(UTF_8));
            who.writeBytes(spec.password().bytes());
            var unused = builder.authorization("digest", who.toByteArray()).aclProvider(new OwnersOnly());
        }
        return builder.build();
    }

    private static ThreadFactory threads() {
        return task -> {
            Thread thread = new Thread(task, "weir-directory-zookeeper");
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Nobody but who has made it, with the same user, may read or change it. */
    private static final class OwnersOnly implements ACLProvider {

        @Override
        public List<ACL> getDefaultAcl() {
            return ZooDefs.Ids.CREATOR_ALL_ACL;
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return ZooDefs.Ids.CREATOR_ALL_ACL;
        }
    }

    private String nodes() {
        return spec.root() + "/nodes";
    }

    private String left() {
        return spec.root() + "/left";
    }

    /** With what the name of each entry of a node begins. */
    private static String prefix(PeerId id) {
        return id.id() + "." + id.incarnation() + ".";
    }

    @Override
    public void open() {
        if (self != null && spec.user() == null) {
            LOG.warn(
                    "Whoever reaches ZooKeeper at {} can change what this node tells there: set"
                            + " weir.directory.zookeeper.user and .password-file",
                    spec.connect());
        }
        client.start();
        try {
            if (!client.blockUntilConnected((int) spec.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new PeerUnavailable("no ZooKeeper server has answered at " + spec.connect()
                        + " within weir.directory.zookeeper.timeout ("
                        + spec.timeout().toMillis()
                        + " ms): start it, or correct weir.directory.zookeeper.connect");
            }
            make(nodes());
            make(left());
            look();
        } catch (Exception e) {
            throw failed(e);
        }
    }

    private void make(String path) throws Exception {
        try {
            if (client.checkExists().forPath(path) == null) {
                var unused = client.create().creatingParentsIfNeeded().forPath(path);
            }
        } catch (KeeperException.NodeExistsException e) {
            // Somebody else has been faster.
        }
    }

    private void look() throws Exception {
        // Refused here if it is, and in words: the cache would only log it.
        var unused = client.getChildren().forPath(nodes());
        CuratorCache watching =
                CuratorCache.builder(client, nodes()).withStorage(entries).build();
        cache = watching;
        watching.listenable()
                .addListener(
                        CuratorCacheListener.builder()
                                .forCreates(this::changed)
                                .forChanges((before, now) -> changed(now))
                                .forDeletes(this::changed)
                                .forInitialized(read::countDown)
                                .build(),
                        Runnable::run);
        client.getConnectionStateListenable().addListener((client, state) -> {
            if (state == ConnectionState.RECONNECTED) {
                onWorker(this::tellAgain);
            } else if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) {
                complaints.warn("ZooKeeper at " + spec.connect() + " can't be reached (" + state
                        + "); the service directory shows what it has seen last");
            }
        });
        watching.start();
        if (!read.await(spec.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
            throw new PeerUnavailable("ZooKeeper at " + spec.connect() + " has not told what stands in " + nodes()
                    + " within weir.directory.zookeeper.timeout");
        }
        watching.stream().forEach(this::take);
    }

    private void onWorker(Runnable task) {
        try {
            worker.execute(() -> {
                if (!closed) {
                    task.run();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("ZooKeeper told something when the directory was closed");
        }
    }

    /** On Curator's thread. Somebody may change entries faster than they can be looked at. */
    private void changed(ChildData data) {
        if (changed.add(name(data))) {
            onWorker(this::lookAtChanges);
        }
    }

    private static String name(ChildData data) {
        return data.getPath().substring(data.getPath().lastIndexOf('/') + 1);
    }

    private void lookAtChanges() {
        Set<String> names = changed.take();
        if (names == null) {
            names = new LinkedHashSet<>(seen.keySet());
            names.add(own);
            entries.stream().map(ZooKeeperStore::name).forEach(names::add);
        }
        names.forEach(this::lookAt);
        for (String path = entries.further(); path != null; path = entries.further()) {
            readAgain(path);
        }
    }

    /** What the cache has seen when there was no room for it. */
    private void readAgain(String path) {
        try {
            Stat stat = new Stat();
            byte[] text = client.getData().storingStatIn(stat).forPath(path);
            var unused = entries.put(new ChildData(path, stat, text));
            if (client.checkExists().forPath(path) == null) {
                // It went meanwhile, which the cache may have seen before it was put.
                unused = entries.remove(path);
            }
        } catch (KeeperException.NoNodeException e) {
            LOG.debug("{} went before there was room for it", path);
        } catch (Exception e) {
            complaints.warn("An entry of the service directory can't be read, " + path + ": " + e);
        }
        lookAt(path.substring(path.lastIndexOf('/') + 1));
    }

    private void lookAt(String name) {
        ChildData now = entries.get(nodes() + '/' + name).orElse(null);
        if (now == null) {
            drop(name);
        } else {
            take(now);
        }
    }

    private void take(ChildData data) {
        if (data.getPath().equals(nodes())) {
            return;
        }
        String name = name(data);
        try {
            byte[] text = data.getData();
            if (text == null) {
                throw new IllegalArgumentException("it is empty");
            }
            Listing listing = ListingText.read(text);
            PeerId id = listing.member().id();
            if (!name.startsWith(prefix(id))) {
                throw new IllegalArgumentException("it tells of " + id + ", whose entry has another name");
            }
            PeerId before = id.equals(self) ? seen.remove(name) : seen.put(name, id);
            if (before != null && !before.equals(id)) {
                // Nobody announces the other one here any more.
                gone(before, () -> MemberEvent.Kind.FAILED);
            }
            if (!id.equals(self)) {
                view.put(listing);
            }
        } catch (IllegalArgumentException e) {
            complaints.warn(
                    "An entry of the service directory is passed over, " + data.getPath() + ": " + e.getMessage());
            PeerId before = seen.remove(name);
            if (before != null) {
                // What it said before counts no more, so it must not be kept.
                gone(before, () -> MemberEvent.Kind.FAILED);
            }
        }
    }

    private void drop(String name) {
        if (name.equals(own)) {
            tellAgain();
            return;
        }
        PeerId id = seen.remove(name);
        if (id == null) {
            return;
        }
        gone(id, () -> how(name));
    }

    /** An entry says nothing of this node any more. */
    private void gone(PeerId id, Supplier<MemberEvent.Kind> how) {
        // What is known of it may be what this entry said.
        List<String> others = seen.keySet().stream()
                .filter(other -> id.equals(seen.get(other)))
                .toList();
        if (others.isEmpty()) {
            view.remove(id, how.get());
        } else {
            others.forEach(this::lookAgainAt);
        }
    }

    private void lookAgainAt(String name) {
        entries.get(nodes() + '/' + name).ifPresent(this::take);
    }

    private MemberEvent.Kind how(String name) {
        try {
            boolean goodbye = client.checkExists().forPath(left() + '/' + name) != null;
            return goodbye ? MemberEvent.Kind.LEFT : MemberEvent.Kind.FAILED;
        } catch (Exception e) {
            LOG.debug("Whether {} has said goodbye is not known", name, e);
            return MemberEvent.Kind.FAILED;
        }
    }

    @Override
    public void publish(Listing listing) {
        try {
            write(listing);
            told = listing;
        } catch (Exception e) {
            throw failed(e);
        }
    }

    /** What stands there of a former session would go with it. */
    private void write(Listing listing) throws Exception {
        byte[] text = ListingText.write(listing);
        String path = nodes() + '/' + own;
        Stat there = client.checkExists().forPath(path);
        long session = client.getZookeeperClient().getZooKeeper().getSessionId();
        if (there != null && there.getEphemeralOwner() == session) {
            var unused = client.setData().forPath(path, text);
            return;
        }
        if (there != null) {
            var unused = client.delete().quietly().forPath(path);
        }
        var unused = client.create()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(path, text);
    }

    /** What we have announced may be forgotten: our session has ended, or somebody has removed it. */
    private void tellAgain() {
        Listing listing = told;
        if (listing == null || closed) {
            return;
        }
        try {
            make(left());
            write(listing);
        } catch (Exception e) {
            complaints.warn("This node could not be announced anew in ZooKeeper; it is tried again: " + e);
            var unused = worker.schedule(this::tellAgain, AGAIN, TimeUnit.MILLISECONDS);
        }
    }

    private WeirException failed(Exception e) {
        if (e instanceof WeirException known) {
            return known;
        }
        if (e instanceof KeeperException.NoAuthException || e instanceof KeeperException.AuthFailedException) {
            return new AuthenticationFailed(
                    "ZooKeeper at " + spec.connect() + " does not let "
                            + (spec.user() == null ? "anybody without a user" : "the user " + spec.user()) + " into "
                            + spec.root() + ": set weir.directory.zookeeper.user and .password-file to what the other"
                            + " nodes have",
                    e);
        }
        if (e instanceof InterruptedException || e instanceof KeeperException) {
            return new PeerUnavailable("ZooKeeper at " + spec.connect() + " did not do what it was asked for: " + e, e);
        }
        return new Misconfigured("ZooKeeper at " + spec.connect() + " can't be used: " + e, e);
    }

    @Override
    public void close() {
        closed = true;
        if (cache != null) {
            cache.close();
        }
        if (told != null && client.getZookeeperClient().isConnected()) {
            leave(own);
        }
        client.close();
        callbacks.shutdown();
    }

    /** The goodbye is there before the entry goes, both at once. */
    private void leave(String name) {
        try {
            String goodbye = left() + '/' + name;
            var unused = client.transaction()
                    .forOperations(
                            client.transactionOp().create().forPath(goodbye, new byte[0]),
                            client.transactionOp().delete().forPath(nodes() + '/' + name));
            Stat made = client.checkExists().forPath(goodbye);
            if (made != null) {
                sweep(made.getCtime());
            }
        } catch (Exception e) {
            LOG.debug("This node could not say goodbye in ZooKeeper", e);
        }
    }

    private void sweep(long now) throws Exception {
        List<String> goodbyes = client.getChildren().forPath(left());
        for (String name : goodbyes.subList(0, Math.min(goodbyes.size(), MOST_SWEPT))) {
            Stat stat = client.checkExists().forPath(left() + '/' + name);
            if (stat != null && now - stat.getCtime() > OLD) {
                var unused = client.delete().quietly().forPath(left() + '/' + name);
            }
        }
    }
}
