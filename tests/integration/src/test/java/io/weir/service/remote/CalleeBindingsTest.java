package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.NodeSpec;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CalleeBindingsTest {

    interface Echo {

        Mono<String> echo(String text);
    }

    private static Node start(String name) {
        return Objects.requireNonNull(
                Node.start(NodeSpec.builder().name(name).order("local").build()).block());
    }

    /** An instance that comes and goes in the directory is another callee each time, over a connection that stays. */
    @Test
    void whoHasLeftIsForgotten() {
        Node far = start("far");
        Node near = start("near");
        try {
            var unused = new RemoteInterfaces(far)
                    .export("echo", Echo.class, Mono::just, ExportOptions.standard(), peer -> {});
            Peer peer = Objects.requireNonNull(near.connect(far.address()).block());
            AtomicReference<Callee> present = new AtomicReference<>(new Callee(peer, "echo"));
            Callees callees = new Callees() {
                @Override
                public Callee ready() {
                    return present.get();
                }

                @Override
                public Mono<Callee> next() {
                    return Mono.fromSupplier(present::get);
                }
            };
            Echo echo = new RemoteInterfaces(near).proxy(Echo.class, callees, ProxyOptions.standard());
            assertThat(echo.echo("a").block()).isEqualTo("a");
            WeakReference<Callee> first = new WeakReference<>(present.get());

            present.get().leave();
            present.set(new Callee(peer, "echo"));

            assertThat(echo.echo("b").block()).isEqualTo("b");
            while (first.get() != null) {
                System.gc();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            }
        } finally {
            near.close().block();
            far.close().block();
        }
    }
}
