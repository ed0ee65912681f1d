package io.weir.transport.shm;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of sockets that processes have left which were killed while they agreed on a link. Everything here may
 * block.
 */
final class StaleSockets {

    private static final Logger log = LoggerFactory.getLogger(StaleSockets.class);

    /** Between a socket's name and its listening lie microseconds, in which it looks as if nobody was there. */
    private static final Duration YOUNG = Duration.ofMinutes(1);

    private StaleSockets() {}

    /** Removes them from this folder, which is ours alone; what somebody listens at, or may begin to, stays. */
    static void remove(Path folder) {
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(folder, Rendezvous.NAMES)) {
            for (Path socket : sockets) {
                if (isStale(socket) && Files.deleteIfExists(socket)) {
                    log.info("Removed {}, which a process that has died had left", socket);
                }
            }
        } catch (IOException e) {
            // Nobody needs them to be gone: another process may have removed one in between.
            log.info("What dead processes have left in {} can't be removed", folder, e);
        }
    }

    private static boolean isStale(Path socket) throws IOException {
        Instant made =
                Files.getLastModifiedTime(socket, LinkOption.NOFOLLOW_LINKS).toInstant();
        return made.isBefore(Instant.now().minus(YOUNG)) && !isListening(socket);
    }

    private static boolean isListening(Path socket) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            boolean unused = probe.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }
}
