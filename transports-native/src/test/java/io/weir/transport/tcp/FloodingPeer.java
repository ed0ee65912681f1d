package io.weir.transport.tcp;

import io.netty.buffer.Unpooled;
import io.weir.core.Frame;
import io.weir.core.FrameKind;
import io.weir.core.Link;
import io.weir.core.LinkHandler;
import io.weir.core.PeerAddress;
import io.weir.core.TransportSettings;
import io.weir.core.Waiting;
import io.weir.core.WeirException;
import io.weir.transport.loop.NettyLoop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A process of its own that connects and sends without an end, until it is killed or its standard input ends. */
final class FloodingPeer {

    private FloodingPeer() {}

    static Process start(PeerAddress address, boolean nativeAllowed) throws Exception {
        String java = Path.of(System.getProperty("weir.test.java.home", System.getProperty("java.home")), "bin", "java")
                .toString();
        return new ProcessBuilder(
                        java,
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FloodingPeer.class.getName(),
                        address.toString(),
                        String.valueOf(nativeAllowed))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Arguments: the address, and whether native code may be loaded. Prints the native libraries that were. */
    public static void main(String[] arguments) throws Exception {
        boolean nativeAllowed = Boolean.parseBoolean(arguments[1]);
        TransportSettings settings = new TransportSettings(Path.of("/nowhere"), nativeAllowed, Map.of());
        NettyLoop loop = NettyLoop.start("flooding", Waiting.BALANCED, nativeAllowed);
        Link link = new TcpBootstrap()
                .connect(PeerAddress.parse(arguments[0]), settings, loop)
                .block(Duration.ofSeconds(30));
        loop.execute(() -> new Flood(link).begin());
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            List<String> libraries = maps.filter(line -> line.contains("netty")).toList();
            System.out.println("native libraries: " + libraries);
        }
        System.out.println(System.in.read());
        System.exit(0);
    }

    private record Flood(Link link) implements LinkHandler {

        void begin() {
            link.handler(this);
            if (link.offer(TcpNodes.hello())) {
                writable();
            }
        }

        @Override
        public void writable() {
            Frame frame = new Frame();
            for (int i = 0;
                    link.offer(frame.set(FrameKind.DATA, 0, 1, i)
                            .body(Unpooled.wrappedBuffer(new byte[i % 3 * 7_000]))); ) {
                i++;
            }
        }

        @Override
        public void frame(Frame frame) {
            frame.release();
        }

        @Override
        public void lost(WeirException reason) {
            System.out.println(reason.getMessage());
        }
    }
}
