package io.weir.config;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the directory of a cluster is, if it is in ZooKeeper. Immutable; prints no secret. It is checked as a part of
 * the {@link NodeSpec} that it stands in.
 *
 * @param connect the servers, {@code host:port} between commas ({@code weir.directory.zookeeper.connect}); null if
 *     there are none
 * @param root the node of ZooKeeper below which everything is kept ({@code weir.directory.zookeeper.root})
 * @param user who we are to ZooKeeper ({@code weir.directory.zookeeper.user}); null: anybody, and anybody may write
 *     what we write
 * @param password of the user ({@code weir.directory.zookeeper.password-file}); null if there is no user
 * @param timeout how long a server may take to be reached and to answer, 10 ms to 1 h
 *     ({@code weir.directory.zookeeper.timeout})
 * @param session after this time without a word from us, ZooKeeper takes us for dead, 10 ms to 1 h
 *     ({@code weir.directory.zookeeper.session}); servers have bounds of their own for it
 */
public record ZooKeeperSpec(
        @Nullable String connect,
        String root,
        @Nullable String user,
        @Nullable Secret password,
        Duration timeout,
        Duration session) {

    public ZooKeeperSpec {
        Objects.requireNonNull(root, "root");
        Objects.requireNonNull(timeout, "timeout");
        Objects.requireNonNull(session, "session");
    }

    /** These servers, everything else as by default. */
    public static ZooKeeperSpec of(String connect) {
        return NodeDefaults.ZOOKEEPER.connect(connect);
    }

    /** The same at other servers. */
    public ZooKeeperSpec connect(String connect) {
        return new ZooKeeperSpec(connect, root, user, password, timeout, session);
    }

    /** The same below another node. */
    public ZooKeeperSpec root(String root) {
        return new ZooKeeperSpec(connect, root, user, password, timeout, session);
    }

    /** The same as another user. */
    public ZooKeeperSpec user(String user) {
        return new ZooKeeperSpec(connect, root, user, password, timeout, session);
    }

    /** The same with another password. */
    public ZooKeeperSpec password(Secret password) {
        return new ZooKeeperSpec(connect, root, user, password, timeout, session);
    }

    /** The same with another patience for servers. */
    public ZooKeeperSpec timeout(Duration timeout) {
        return new ZooKeeperSpec(connect, root, user, password, timeout, session);
    }

    /** The same with sessions of another length. */
    public ZooKeeperSpec session(Duration session) {
        return new ZooKeeperSpec(connect, root, user, password, timeout, session);
    }
}
