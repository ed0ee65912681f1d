package io.weir.spring.autoconfigure;

import io.weir.channel.Node;
import io.weir.config.NodeDefaults;
import io.weir.core.Misconfigured;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.directory.Registration;
import io.weir.service.remote.CallCodec;
import io.weir.service.remote.ExportOptions;
import io.weir.spring.ChannelHandler;
import io.weir.spring.ExportOptionsCustomizer;
import io.weir.spring.RemoteClientFactoryBean;
import io.weir.spring.RemoteService;
import io.weir.spring.ServedPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Serves the application's beans. Starts behind all that they may need, and stops before it: what is served is
 * withdrawn, nobody is let in any more, and what was begun is finished, while the links and everything else are still
 * there.
 */
final class WeirServing extends Part {

    /** That in which a web server stops taking requests; in the same one both do it at once. */
    static final int PHASE = Integer.MAX_VALUE - 1024;

    /** The name of the bean whose threads run what may block. */
    static final String THREADS = "weirCallThreads";

    private static final Logger LOG = LoggerFactory.getLogger(WeirServing.class);

    private final ConfigurableListableBeanFactory beans;
    private final ApplicationContext context;
    private final NodeStarter starter;
    private final ObjectProvider<ExportOptionsCustomizer> customizers;
    private final Duration limit;

    /** @param limit how long what was begun may take to end when the application stops */
    WeirServing(
            ConfigurableListableBeanFactory beans,
            ApplicationContext context,
            NodeStarter starter,
            ObjectProvider<ExportOptionsCustomizer> customizers,
            Duration limit) {
        super(PHASE);
        this.beans = beans;
        this.context = context;
        this.starter = starter;
        this.customizers = customizers;
        this.limit = limit;
    }

    @Override
    void begin() {
        Node node = beans.getBean(Node.class);
        // What can't be called fails now, and not with the first call.
        for (String name : beans.getBeanNamesForType(RemoteClientFactoryBean.class)) {
            var unused = beans.getBean(BeanFactoryUtils.transformedBeanName(name));
        }
        List<Mono<Registration>> serving = new ArrayList<>();
        for (String name : beans.getBeanNamesForAnnotation(RemoteService.class)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                serving.add(remoteService(name));
            }
        }
        for (String name : beans.getBeanNamesForType(ChannelHandler.class)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                serving.add(channelHandler(name));
            }
        }
        if (!serving.isEmpty()) {
            starter.awaitEnd(Flux.concat(serving).then(), "the announcement of what is served");
        }
        starter.awaitEnd(node.open(), "what the node waits for");
        if (node.spec().listen().equals(NodeDefaults.LISTEN)) {
            LOG.info(
                    "{} is open at {}, for this host only: set weir.listen to let others in",
                    node.id(),
                    node.address());
        } else {
            LOG.info("{} is open at {}", node.id(), node.addresses());
        }
        if (!serving.isEmpty()) {
            keepRunning(node);
        }
    }

    /** Loops end with the process; one that serves others does not end because nothing else keeps it. */
    private static void keepRunning(Node node) {
        Thread keeper = new Thread(() -> node.closed().block(), "weir-serving");
        keeper.setDaemon(false);
        keeper.start();
    }

    private Services services() {
        return beans.getBean(Services.class);
    }

    private <T> Mono<Registration> remoteService(String bean) {
        RemoteService said = Objects.requireNonNull(beans.findAnnotationOnBean(bean, RemoteService.class));
        Object object = beans.getBean(bean);
        @SuppressWarnings("unchecked") // The bean is checked against it.
        Class<T> type = (Class<T>) served(bean, said, object);
        String service = StringUtils.hasText(said.service()) ? resolved(said.service()) : type.getName();
        ExportOptions options = new ExportOptions(
                WeirCodecAutoConfiguration.required(beans.getBeanProvider(CallCodec.class)),
                said.blockingCalls(),
                said.tellsStacks(),
                beans.getBean(THREADS, Executor.class));
        for (ExportOptionsCustomizer customizer : customizers.orderedStream().toList()) {
            options = customizer.customize(service, options);
        }
        return services().export(ServiceSpec.of(service), type, type.cast(object), options);
    }

    private static Class<?> served(String bean, RemoteService said, Object object) {
        if (said.type() != void.class) {
            if (!said.type().isInstance(object)) {
                throw new Misconfigured(
                        "the bean '" + bean + "' is no " + said.type().getName() + ", which its @RemoteService names");
            }
            return said.type();
        }
        List<Class<?>> interfaces = Arrays.stream(ClassUtils.getAllInterfacesForClass(AopUtils.getTargetClass(object)))
                .filter(type ->
                        !type.getName().startsWith("java.") && !type.getName().startsWith("org.springframework."))
                .<Class<?>>map(type -> type)
                .toList();
        if (interfaces.size() != 1) {
            throw new Misconfigured("@RemoteService on the bean '" + bean + "': "
                    + AopUtils.getTargetClass(object).getName() + " implements "
                    + (interfaces.isEmpty() ? "no interface" : interfaces)
                    + "; say which one is served, by @RemoteService(type = …)");
        }
        return interfaces.get(0);
    }

    private String resolved(String text) {
        return Objects.requireNonNull(beans.resolveEmbeddedValue(text));
    }

    private Mono<Registration> channelHandler(String bean) {
        ChannelHandler handler = beans.getBean(bean, ChannelHandler.class);
        ServedPort said = beans.findAnnotationOnBean(bean, ServedPort.class);
        String port = said == null || said.value().isEmpty() ? bean : resolved(said.value());
        if (said == null || !said.blocking()) {
            return services().serve(ServiceSpec.of(port), handler::handle);
        }
        var threads = Schedulers.fromExecutor(beans.getBean(THREADS, Executor.class));
        return services()
                .serve(
                        ServiceSpec.of(port),
                        channel -> Mono.fromCallable(() -> handler.handle(channel))
                                .subscribeOn(threads)
                                .flatMapMany((Publisher<Void> work) -> work));
    }

    @Override
    Mono<Void> end() {
        return Mono.defer(this::leave).onErrorResume(error -> {
            LOG.warn("Not everything that was served could be withdrawn: {}", error.getMessage());
            return Mono.empty();
        });
    }

    private Mono<Void> leave() {
        AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
        Services services = NodeClosing.services(beans);
        if (services != null) {
            return services.leave(limit);
        }
        return starter.isThere() ? starter.node().leave(limit) : Mono.empty();
    }
}
