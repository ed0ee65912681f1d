package io.weir.service.remote;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import reactor.core.Disposable;

/** Remote interfaces without a directory, for tests of other packages: between nodes that are connected. */
public final class Interfaces {

    private final RemoteInterfaces interfaces;

    public Interfaces(Node node) {
        this.interfaces = new RemoteInterfaces(node);
    }

    public <T> Disposable export(String port, Class<T> type, T object, ExportOptions options) {
        return interfaces.export(port, type, object, options, peer -> {});
    }

    public <T> T proxy(Class<T> type, Peer peer, String port, ProxyOptions options) {
        return interfaces.proxy(type, Callees.of(peer, port), options);
    }

    public void dispose() {
        interfaces.dispose();
    }
}
