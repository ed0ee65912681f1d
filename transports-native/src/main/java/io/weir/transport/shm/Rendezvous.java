package io.weir.transport.shm;

import io.weir.core.Misconfigured;
import io.weir.core.RuntimeFolder;
import io.weir.transport.loop.NettyLoop;
import io.weir.transport.nativelib.NativeFailure;
import io.weir.transport.nativelib.Nonce;
import io.weir.transport.nativelib.SlowCalls;
import io.weir.transport.nativelib.UnixSocket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * The socket at which the connecting side finds us: of an unguessable name, in a folder that only our user can enter.
 * Belongs to the loop's thread.
 */
final class Rendezvous {

    private static final Logger log = LoggerFactory.getLogger(Rendezvous.class);

    /** The names of all such sockets, for a folder's list. */
    static final String NAMES = "shm-*.sock";

    /** Whoever gets here is our own user, so more than a few at once are a mistake, not an attack. */
    private static final int MAX_GUESTS = 16;

    /** Connections that are accepted at a time, at most. */
    private static final int AT_A_TIME = 8;

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final NettyLoop loop;
    private final Path path;
    private final UnixSocket listener;
    private final Function<UnixSocket, Meeting> welcome;
    private final Set<Meeting> guests = new HashSet<>();
    private Disposable watch = Disposables.disposed();
    private boolean closed;
    private boolean acceptsLater;

    private Rendezvous(NettyLoop loop, Path path, UnixSocket listener, Function<UnixSocket, Meeting> welcome) {
        this.loop = loop;
        this.path = path;
        this.listener = listener;
        this.welcome = welcome;
    }

    /**
     * Listens.
     *
     * @param welcome takes over each connection
     */
    static Rendezvous open(Path folder, NettyLoop loop, Function<UnixSocket, Meeting> welcome) {
        Path path = RuntimeFolder.open(folder)
                .toAbsolutePath()
                .resolve("shm-" + Nonce.random().hex() + ".sock");
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > ShmOffer.MAX_PATH) {
            throw new Misconfigured("the socket " + path + " would have a path of " + length + " bytes, where "
                    + ShmOffer.MAX_PATH + " are possible; name a shorter folder, weir.runtime-folder");
        }
        try {
            UnixSocket listener = UnixSocket.listen(path.toString());
            Rendezvous rendezvous = new Rendezvous(loop, path, listener, welcome);
            rendezvous.begin();
            return rendezvous;
        } catch (NativeFailure e) {
            throw unusable(path, e);
        }
    }

    private void begin() {
        try {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            watch = loop.watch(listener.number(), this::accept);
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            close(null);
            throw unusable(path, e);
        }
    }

    private static Misconfigured unusable(Path path, Exception cause) {
        return new Misconfigured(
                "the socket " + path + " can't be opened (" + cause + "); name another folder, weir.runtime-folder",
                cause);
    }

    private void accept() {
        for (int count = 0; count < AT_A_TIME; count++) {
            if (closed) {
                return;
            }
            if (SlowCalls.areLate()) {
                // Each guest has to be closed: where that takes long, all wait outside, of whom the system lets few.
                acceptLater();
                return;
            }
            UnixSocket guest;
            try {
                guest = listener.accept();
            } catch (NativeFailure e) {
                log.warn("who connects to {} is not let in: {}", path, e.getMessage());
                acceptLater();
                return;
            }
            if (guest == null) {
                return;
            }
            receive(guest);
        }
        // Others wait, for whom nothing wakes us once more.
        loop.execute(this::accept);
    }

    /** Who waits outside is not announced once more. */
    private void acceptLater() {
        if (!acceptsLater) {
            acceptsLater = true;
            var unused = loop.schedule(
                    () -> {
                        acceptsLater = false;
                        accept();
                    },
                    PAUSE);
        }
    }

    private void receive(UnixSocket guest) {
        if (guests.size() == MAX_GUESTS) {
            log.warn("more than {} connections to {}, where one is expected", MAX_GUESTS, path);
            guest.close();
            return;
        }
        Meeting meeting = welcome.apply(guest);
        guests.add(meeting);
        meeting.begin();
    }

    String path() {
        return path.toString();
    }

    /** This guest has gone. */
    void left(Meeting guest) {
        guests.remove(guest);
    }

    /** Listens no longer, removes the socket's name, and sends away all guests but this one. */
    void close(@Nullable Meeting expected) {
        closed = true;
        watch.dispose();
        listener.close();
        for (Meeting guest : List.copyOf(guests)) {
            if (guest != expected) {
                guest.close();
            }
        }
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn("the socket {} can't be removed", path, e);
        }
    }
}
