package io.weir.integration.service;

import io.weir.core.PeerAddress;
import io.weir.integration.Child;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server in a process of its own, on loopback. It may be killed, and start again with what it knew. */
final class Keeper implements AutoCloseable {

    private final Path folder;
    private final PeerAddress address;
    private Child server;

    Keeper(Path folder) {
        this.folder = folder;
        this.server = Child.start(Keeper.class, folder.toString(), "0");
        this.address = server.address();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path folder = Path.of(arguments[0]);
        // A tick of 100 ms, and sessions of any length, to the tick.
        ZooKeeperServer server = new ZooKeeperServer(folder.toFile(), folder.toFile(), 100);
        server.setMaxSessionTimeout(60_000);
        ServerCnxnFactory connections = new NIOServerCnxnFactory();
        connections.configure(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1])), 100);
        connections.startup(server);
        System.out.println("READY " + new PeerAddress("127.0.0.1", connections.getLocalPort()));
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        System.exit(0);
    }

    PeerAddress address() {
        return address;
    }

    /** Kills it, and starts it again where it was. */
    void startAnew() {
        server.kill();
        server.close();
        server = Child.start(Keeper.class, folder.toString(), Integer.toString(address.port()));
    }

    @Override
    public void close() {
        server.close();
    }
}
