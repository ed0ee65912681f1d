package io.weir.integration;

import io.weir.channel.Node;
import io.weir.service.directory.Member;
import io.weir.service.directory.MemberEvent;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A directory in the memory of this JVM: what is written on it, all see at once. Tests may write on it what no node has
 * announced.
 */
public final class Blackboard {

    private final Map<String, Sinks.Many<List<ServiceInstance>>> views = new HashMap<>();
    private final Map<String, List<ServiceInstance>> written = new HashMap<>();
    private final List<Member> members = new CopyOnWriteArrayList<>();

    /** For this node. */
    public ServiceDirectory of(Node node) {
        members.add(new Member(node.id(), "here", node.addresses(), Map.of(), Instant.now()));
        return new View();
    }

    public synchronized void write(ServiceInstance instance) {
        written(instance.service()).add(instance);
        show(instance.service());
    }

    public synchronized void wipe(ServiceInstance instance) {
        written(instance.service()).remove(instance);
        show(instance.service());
    }

    public synchronized List<ServiceInstance> all(String service) {
        return List.copyOf(written(service));
    }

    private List<ServiceInstance> written(String service) {
        return written.computeIfAbsent(service, any -> new ArrayList<>());
    }

    private synchronized Flux<List<ServiceInstance>> view(String service) {
        return views.computeIfAbsent(service, any -> {
                    Sinks.Many<List<ServiceInstance>> view =
                            Sinks.many().replay().latest();
                    view.emitNext(all(service), Sinks.EmitFailureHandler.FAIL_FAST);
                    return view;
                })
                .asFlux();
    }

    private void show(String service) {
        Sinks.Many<List<ServiceInstance>> view = views.get(service);
        if (view != null) {
            view.emitNext(all(service), Sinks.EmitFailureHandler.FAIL_FAST);
        }
    }

    private final class View implements ServiceDirectory {

        private final List<Note> notes = new CopyOnWriteArrayList<>();

        @Override
        public Mono<Registration> announce(ServiceInstance instance) {
            return Mono.fromSupplier(() -> {
                Note note = new Note(instance);
                notes.add(note);
                write(instance);
                return note;
            });
        }

        @Override
        public Flux<List<ServiceInstance>> instances(String service) {
            return Flux.defer(() -> view(service));
        }

        @Override
        public Flux<MemberEvent> members() {
            return Flux.fromIterable(members).map(member -> new MemberEvent(MemberEvent.Kind.JOINED, member));
        }

        @Override
        public List<Member> snapshot() {
            return List.copyOf(members);
        }

        @Override
        public Mono<Void> attributes(Map<String, String> attributes) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> close() {
            return Flux.fromIterable(notes).flatMap(Note::withdraw).then();
        }
    }

    private final class Note implements Registration {

        private ServiceInstance instance;

        Note(ServiceInstance instance) {
            this.instance = instance;
        }

        @Override
        public synchronized ServiceInstance instance() {
            return instance;
        }

        @Override
        public Mono<Void> attributes(Map<String, String> attributes) {
            return Mono.fromRunnable(() -> change(attributes));
        }

        private synchronized void change(Map<String, String> attributes) {
            wipe(instance);
            instance = instance.withAttributes(attributes);
            write(instance);
        }

        @Override
        public Mono<Void> withdraw() {
            return Mono.fromRunnable(() -> wipe(instance()));
        }
    }
}
