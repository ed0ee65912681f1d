package io.weir.integration.service;

import io.weir.integration.Patience;
import io.weir.service.directory.MemberEvent;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** Everything that a directory has told since this was made. */
final class DirectoryEvents implements AutoCloseable {

    private final List<String> members = new CopyOnWriteArrayList<>();
    private final AtomicReference<List<ServiceInstance>> tax = new AtomicReference<>(List.of());
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Disposable.Composite open = Disposables.composite();

    DirectoryEvents(ServiceDirectory directory) {
        open.add(directory
                .members()
                .subscribe(
                        event -> members.add(text(event)),
                        error -> members.add(error.toString()),
                        () -> ended.set(true)));
        open.add(directory.instances("tax").subscribe(tax::set));
    }

    private static String text(MemberEvent event) {
        return event.kind() + " " + event.member().id().name() + event.member().attributes();
    }

    /** Kind, name and attributes of each event about this node. */
    List<String> of(String name) {
        return members.stream()
                .filter(event -> event.split("[ {]")[1].equals(name))
                .toList();
    }

    /** The last event about this node, which there must be. */
    String last(String name) {
        List<String> all = of(name);
        return all.get(all.size() - 1);
    }

    /** Returns when these have come of this node, and no others. */
    void await(String name, String... events) {
        Patience.until(
                () -> List.of(events) + " of " + name + " in " + members, () -> of(name).size() >= events.length);
        if (!of(name).equals(List.of(events))) {
            throw new AssertionError("not " + List.of(events) + " but " + of(name));
        }
    }

    /** The instances of "tax" as they came last. */
    List<ServiceInstance> tax() {
        return tax.get();
    }

    /** Returns when the service "tax" has so many instances. */
    void awaitTax(int instances) {
        Patience.until(
                () -> instances + " instances of tax in " + tax, () -> tax.get().size() == instances);
    }

    void awaitEnd() {
        Patience.until("the events end", ended::get);
    }

    @Override
    public void close() {
        open.dispose();
    }
}
