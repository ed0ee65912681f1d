package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import reactor.core.publisher.Mono;

/**
 * Starts the application's node in the background, from when this is made, and closes it. Loading native code and
 * looking for devices so takes no time of the thread that starts the application, unless that needs the node.
 */
final class NodeStarter implements DisposableBean {

    private static final Logger LOG = LoggerFactory.getLogger(NodeStarter.class);

    /** What may take longer than its own limit, on a machine that is busy. */
    private static final Duration MARGIN = Duration.ofSeconds(10);

    private final NodeSpec spec;
    private final CompletableFuture<Node> starting;

    NodeStarter(NodeSpec spec) {
        this.spec = spec;
        this.starting = new CompletableFuture<>();
        // Even what composes the start has classes to load.
        Thread thread = new Thread(this::prepare, "weir-start");
        thread.setDaemon(true);
        thread.start();
    }

    private void prepare() {
        try {
            var unused = Node.prepare(spec).subscribe(starting::complete, starting::completeExceptionally);
        } catch (Throwable t) {
            starting.completeExceptionally(t);
            throw t;
        }
    }

    /** One that is there already. */
    NodeStarter(Node node) {
        this.spec = node.spec();
        this.starting = CompletableFuture.completedFuture(node);
    }

    NodeSpec spec() {
        return spec;
    }

    /** The node, waited for. Fails as {@link Node#prepare} does. */
    Node node() {
        return await(whenThere(), "the node");
    }

    /** The node, as soon as it is there. Fails as {@link Node#prepare} does. */
    Mono<Node> whenThere() {
        return Mono.fromFuture(starting, true);
    }

    /** Whether somebody has waited for it successfully, or could. */
    boolean isThere() {
        return starting.isDone() && !starting.isCompletedExceptionally();
    }

    /**
     * The outcome, within {@code weir.timeout.start} and a little more: who keeps that limit itself tells better what
     * was in the way.
     */
    <T> T await(Mono<T> outcome, String what) {
        Duration limit = spec.timeouts().start().plus(MARGIN);
        CompletableFuture<T> future = outcome.toFuture();
        try {
            return Objects.requireNonNull(future.get(limit.toMillis(), TimeUnit.MILLISECONDS), what);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + what, e);
        } catch (TimeoutException e) {
            future.cancel(true);
            throw new NotStarted(
                    what + " was not there within " + limit.toSeconds() + " s (weir.timeout.start and a little more)",
                    e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Misconfigured known) {
                throw known;
            }
            throw new NotStarted(what + " has failed", e.getCause());
        }
    }

    /** As {@link #await}, for what has no outcome. */
    void awaitEnd(Mono<Void> work, String what) {
        var unused = await(work.thenReturn(true), what);
    }

    /** Closes the node. Completes whatever becomes of it, in bounded time. */
    Mono<Void> close() {
        return whenThere()
                .flatMap(Node::close)
                .timeout(spec.timeouts().drain().plus(MARGIN))
                .onErrorResume(error -> {
                    LOG.debug("The node was not closed in good order", error);
                    return Mono.empty();
                });
    }

    /** Also where the context has not come as far as its lifecycle. */
    @Override
    public void destroy() {
        // Also one that is still starting: it would go on listening.
        close().block();
    }
}
