package io.weir.service.remote;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.core.Misconfigured;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import reactor.core.Disposable;

/**
 * Java interfaces called over the cluster: exports objects of one node and makes proxies for those of others. One for
 * each node. Any thread.
 */
public final class RemoteInterfaces implements Disposable {

    /** Blocking calls to objects that were passed by reference, at once. */
    private static final int CALLBACKS = 256;

    private final Node node;
    private final References references;
    private final Workers callbacks = new Workers("callback", CALLBACKS);
    private final Disposable untilClosed;
    private volatile boolean disposed;

    public RemoteInterfaces(Node node) {
        this.node = node;
        this.references = new References(node);
        this.untilClosed = node.closed().subscribe(null, null, this::dispose);
    }

    /**
     * Lets peers call the methods of this interface on this object, through this port and that with the suffix
     * {@code .streams}, until disposed: what was begun goes on then, further calls fail with
     * {@link io.weir.core.Refused}.
     *
     * @param gate asked about each peer that binds or calls, on its loop; throws what it is turned away with
     * @throws Misconfigured if the interface can't be called remotely, naming the method, or a port is served already
     */
    public <T> Disposable export(
            String port, Class<T> type, T object, ExportOptions options, Consumer<? super Peer> gate) {
        Executor given = options.executor();
        Workers workers = given == null
                ? new Workers(port, options.blockingCalls())
                : new Workers(given, options.blockingCalls());
        Terms terms = new Terms(
                options.codec(),
                references,
                workers,
                options.tellsStacks(),
                ProxyOptions.standard().codec(options.codec()),
                node.interceptor());
        Served served = new Served(terms.contract(type), Objects.requireNonNull(object, "object"), port, terms);
        return new RemoteExport(node, served, gate);
    }

    /**
     * A proxy that calls this interface on the peer that takes the call. Methods that return a {@code Mono} or {@code
     * Flux} begin a call with each subscription, others when they are called. Those that wait for their value must not
     * be called on a thread that must not block, and throw {@link IllegalStateException} there.
     *
     * @throws Misconfigured if the interface can't be called remotely, naming the method
     */
    public <T> T proxy(Class<T> type, Callees callees, ProxyOptions options) {
        Terms terms = new Terms(options.codec(), references, callbacks, false, options, node.interceptor());
        Contract contract = terms.contract(type);
        return type.cast(RemoteProxy.of(contract, new CalleeBindings(contract, callees), terms));
    }

    /** Objects that were passed by reference can't be called any more. Exports are disposed on their own. */
    @Override
    public void dispose() {
        disposed = true;
        untilClosed.dispose();
        references.close();
        callbacks.close();
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }
}
