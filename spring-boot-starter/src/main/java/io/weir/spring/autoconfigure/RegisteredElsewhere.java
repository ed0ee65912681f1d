package io.weir.spring.autoconfigure;

import io.weir.core.Misconfigured;
import io.weir.service.directory.Member;
import io.weir.service.directory.MemberEvent;
import io.weir.service.directory.Registration;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A directory in which somebody else announces what this application serves. */
final class RegisteredElsewhere implements ServiceDirectory {

    private static final Logger LOG = LoggerFactory.getLogger(RegisteredElsewhere.class);

    private final ServiceDirectory directory;

    RegisteredElsewhere(ServiceDirectory directory) {
        this.directory = directory;
    }

    @Override
    public Mono<Registration> announce(ServiceInstance instance) {
        return Mono.fromSupplier(() -> {
            LOG.info(
                    "{} is served at port '{}' of {}; Spring Cloud announces it, where its metadata tell so",
                    instance.service(),
                    instance.port(),
                    instance.addresses());
            return new Elsewhere(instance);
        });
    }

    private record Elsewhere(ServiceInstance instance) implements Registration {

        @Override
        public Mono<Void> attributes(Map<String, String> attributes) {
            return Mono.error(
                    () -> new Misconfigured("attributes of what Spring Cloud announces are told by its metadata"));
        }

        @Override
        public Mono<Void> withdraw() {
            return Mono.empty();
        }
    }

    @Override
    public Mono<Void> attributes(Map<String, String> attributes) {
        return directory.attributes(attributes);
    }

    @Override
    public Flux<List<ServiceInstance>> instances(String service) {
        return directory.instances(service);
    }

    @Override
    public Flux<MemberEvent> members() {
        return directory.members();
    }

    @Override
    public List<Member> snapshot() {
        return directory.snapshot();
    }

    @Override
    public Mono<Void> close() {
        return directory.close();
    }
}
