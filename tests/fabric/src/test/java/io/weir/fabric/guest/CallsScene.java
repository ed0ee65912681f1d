package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Node;
import io.weir.fabric.guest.Fabric.End;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.ProxyOptions;
import io.weir.service.remote.Remote;
import io.weir.tck.ResourceCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** An object of another node, called through a plain Java interface and found by the name of its service. */
@ExtendWith({ResourceCheck.class, DeviceCheck.class})
class CallsScene {

    private static final int LONG = 200_000;

    /** All that both sides share. */
    public interface Press {

        final class Jammed extends Exception {

            private static final long serialVersionUID = 1L;

            public Jammed(String message) {
                super(message);
            }
        }

        /** Called back. */
        @Remote
        interface Watcher {
            void pressed(int pages);
        }

        String twice(String text);

        Flux<Integer> lengths(Flux<String> texts);

        void press(int pages, Watcher watcher) throws Jammed;
    }

    private static final class OnlyPress implements Press {

        @Override
        public String twice(String text) {
            return text + text;
        }

        @Override
        public Flux<Integer> lengths(Flux<String> texts) {
            return texts.map(String::length);
        }

        @Override
        public void press(int pages, Watcher watcher) throws Jammed {
            if (pages > 100) {
                throw new Jammed(pages + " pages");
            }
            watcher.pressed(pages);
        }
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("io.weir.fabric.guest.Fabric#here")
    void anInterfaceIsCalledAtAnotherNode(Fabric fabric) throws Press.Jammed {
        try (Nodes nodes = new Nodes(fabric, folder)) {
            Node far = nodes.start(End.FAR, fabric.path);
            Node near = nodes.start(End.NEAR, fabric.path);
            Services there = Nodes.got(Services.open(far));
            Services here = Nodes.got(Services.open(near));
            var exported = Nodes.got(
                    there.export(ServiceSpec.of("press"), Press.class, new OnlyPress(), ExportOptions.standard()));
            call(here.client("press", Press.class, ProxyOptions.standard()));
            assertThat(near.stats())
                    .singleElement()
                    .satisfies(peer -> assertThat(peer.path()).isEqualTo(fabric.path));
            here.close().block(Patience.LIMIT);
            there.close().block(Patience.LIMIT);
        }
    }

    private static void call(Press press) throws Press.Jammed {
        assertThat(press.twice("ab")).isEqualTo("abab");
        assertThat(press.twice("x".repeat(LONG))).hasSize(2 * LONG);
        List<Integer> lengths = press.lengths(Flux.range(0, 1000).map("y"::repeat))
                .take(50)
                .collectList()
                .block(Patience.LIMIT);
        assertThat(lengths).hasSize(50).startsWith(0, 1, 2).endsWith(49);
        CompletableFuture<Integer> pressed = new CompletableFuture<>();
        press.press(7, pressed::complete);
        assertThat(pressed).succeedsWithin(Patience.LIMIT).isEqualTo(7);
        assertThatThrownBy(() -> press.press(700, pages -> {}))
                .isInstanceOf(Press.Jammed.class)
                .hasMessage("700 pages");
    }
}
