package io.weir.transport.loop;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** A descriptor that is not ours, in the epoll of a loop. Loop thread only. */
final class DescriptorWatch implements EpollIoHandle, Disposable {

    private static final EpollIoOps READABLE =
            EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLRDHUP).with(EpollIoOps.EPOLLET);

    private final FileDescriptor descriptor;
    private final Runnable onReadable;
    private final Runnable onEnd;
    private final Failures failures;
    private @Nullable IoRegistration registration;
    private boolean disposed;

    private DescriptorWatch(int descriptor, Runnable onReadable, Runnable onEnd, Failures failures) {
        this.descriptor = new FileDescriptor(descriptor);
        this.onReadable = onReadable;
        this.onEnd = onEnd;
        this.failures = failures;
    }

    /**
     * Begins to watch.
     *
     * @param onEnd run in place of the other one when the other side of a socket has ended
     */
    static DescriptorWatch begin(
            IoEventLoop eventLoop, int descriptor, Runnable onReadable, Runnable onEnd, Failures failures) {
        DescriptorWatch watch = new DescriptorWatch(descriptor, onReadable, onEnd, failures);
        Future<IoRegistration> registering = eventLoop.register(watch);
        IoRegistration registration = registering.getNow();
        if (registration == null) {
            throw new IllegalStateException("descriptor " + descriptor + " can't be watched", registering.cause());
        }
        watch.registration = registration;
        try {
            registration.submit(READABLE);
        } catch (UncheckedIOException e) {
            watch.dispose();
            throw new IllegalArgumentException("descriptor " + descriptor + " can't be watched: " + e.getCause(), e);
        }
        return watch;
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        // An error or the other side's end can be seen by reading only, so it counts as readable as well.
        EpollIoOps ops = ((EpollIoEvent) event).ops();
        if (!disposed && ops.value() != 0) {
            // What escaped from here would take the other descriptors' events of the same look with it.
            failures.run(ops.contains(EpollIoOps.EPOLLRDHUP) ? onEnd : onReadable);
        }
    }

    @Override
    public void dispose() {
        IoRegistration registered = registration;
        if (!disposed && registered != null) {
            disposed = true;
            registered.cancel();
        }
    }

    @Override
    public boolean isDisposed() {
        return disposed;
    }

    /** The loop ends. The descriptor stays open: it is the caller's. */
    @Override
    public void close() {
        dispose();
    }
}
