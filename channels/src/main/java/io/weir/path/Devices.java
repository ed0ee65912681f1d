package io.weir.path;

import io.weir.config.NodeSpec;
import io.weir.core.Availability;
import io.weir.core.ForeignText;
import io.weir.core.RareLog;
import io.weir.core.Transport;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;

/** What the adapters of a node report of their devices while it is open. Any thread may call. */
public final class Devices {

    private static final Logger LOG = Logs.NODE;

    private final NodeSpec spec;
    private final RareLog warnings = new RareLog(LOG, System::nanoTime);
    private final Consumer<String> changed;
    private final ConcurrentMap<String, String> missing = new ConcurrentHashMap<>();
    private final Disposable.Composite reports = Disposables.composite();

    /** @param changed gets the name of each path whose device is missing now, or is back */
    public Devices(NodeSpec spec, Consumer<String> changed) {
        this.spec = spec;
        this.changed = changed;
    }

    /** Listens to the adapters of paths that were ready when the node started. */
    void watch(Map<String, Transport> adapters, Set<String> ready) {
        for (String path : ready) {
            Transport adapter = adapters.get(path);
            if (adapter != null) {
                reports.add(reports(adapter, path)
                        .subscribe(
                                report -> reported(path, report),
                                error ->
                                        LOG.warn("The adapter of path {} reports no more of its device", path, error)));
            }
        }
    }

    private Flux<Availability> reports(Transport adapter, String path) {
        try {
            return adapter.reports(spec.settings(path));
        } catch (RuntimeException | LinkageError e) {
            return Flux.error(e);
        }
    }

    /** Why this path can't be used just now; null if nothing is known against it. */
    @Nullable
    public String whyNot(String path) {
        return missing.get(path);
    }

    /** Each path that can't be used just now, and why. */
    Map<String, String> missing() {
        return Map.copyOf(missing);
    }

    public void close() {
        reports.dispose();
    }

    private void reported(String path, Availability report) {
        if (report instanceof Availability.Missing it) {
            String before = missing.put(path, ForeignText.brief(it.reason()));
            if (before == null) {
                warnings.warn(
                        "Path " + path + " can't be used until its device is back: " + ForeignText.brief(it.reason()));
                changed.accept(path);
            }
        } else if (missing.remove(path) != null) {
            LOG.info("Path {} can be used again", path);
            changed.accept(path);
        }
    }
}
