package io.weir.service.directory;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports, on a thread of its own, that something has changed in a folder; for as long as the folder is there. */
final class FolderWatch implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceDirectory.class);

    private final WatchService service;

    private FolderWatch(WatchService service) {
        this.service = service;
    }

    /** Null if the system can't: it has bounds for this, and not every file system reports changes. */
    static @Nullable FolderWatch of(Path folder, Runnable changed) {
        try {
            WatchService service = folder.getFileSystem().newWatchService();
            FolderWatch watch = new FolderWatch(service);
            try {
                var unused = folder.register(
                        service,
                        StandardWatchEventKinds.ENTRY_CREATE,
                        StandardWatchEventKinds.ENTRY_DELETE,
                        StandardWatchEventKinds.ENTRY_MODIFY);
            } catch (IOException | RuntimeException e) {
                watch.close();
                throw e;
            }
            Thread thread = new Thread(() -> watch.run(changed), "weir-directory-watch");
            thread.setDaemon(true);
            thread.start();
            return watch;
        } catch (IOException | UnsupportedOperationException e) {
            LOG.info("Changes in {} are seen late, as the system does not tell of them: {}", folder, e.toString());
            return null;
        }
    }

    private void run(Runnable changed) {
        try {
            boolean valid = true;
            while (valid) {
                WatchKey key = service.take();
                try {
                    key.pollEvents().clear();
                    changed.run();
                } catch (OutOfMemoryError e) {
                    // The folder is looked at periodically as well, and a log needs memory.
                }
                valid = key.reset();
            }
        } catch (InterruptedException | ClosedWatchServiceException e) {
            LOG.debug("A folder is watched no more");
        }
    }

    @Override
    public void close() {
        try {
            service.close();
        } catch (IOException e) {
            LOG.debug("A watch of a folder did not close as it should", e);
        }
    }
}
