package io.weir.spring.autoconfigure;

import io.weir.channel.CallInterceptor;
import io.weir.channel.Channel;
import io.weir.channel.ContextEntries;
import io.weir.channel.Node;
import io.weir.config.NodeSpec;
import io.weir.core.Misconfigured;
import io.weir.service.ServiceClient;
import io.weir.service.Services;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.remote.BlockingCallThreads;
import io.weir.service.remote.CallCodec;
import io.weir.spring.ExportOptionsCustomizer;
import io.weir.spring.NodeSpecCustomizer;
import io.weir.spring.PeerPort;
import io.weir.spring.PeersConnectionDetails;
import io.weir.spring.ProxyOptionsCustomizer;
import io.weir.spring.WeirPeer;
import io.weir.spring.WeirPeers;
import java.lang.reflect.AnnotatedElement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.InjectionPoint;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import reactor.core.publisher.Mono;

/**
 * A node, its services and its peers. The node starts in the background while the application does; whoever has it
 * injected waits for it. It lets peers in when everything is served, as the last thing of the start.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "weir.enabled", matchIfMissing = true)
@WithProperties
@Import({RemoteClientsOfApplication.class, PeerBeans.class})
public final class WeirAutoConfiguration {

    /** How long Boot gives each phase of its stop. */
    private static final Duration PHASE = Duration.ofSeconds(30);

    /** What of it is kept for saying so. */
    private static final int PART_KEPT = 10;

    WeirAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(PeersConnectionDetails.class)
    PropertiesConnectionDetails peersConnectionDetails(Environment environment) {
        return new PropertiesConnectionDetails(WeirSettings.of(environment));
    }

    @Bean
    @ConditionalOnMissingBean
    NodeSpec weirNodeSpec(
            Environment environment,
            PeersConnectionDetails details,
            ObjectProvider<SslBundles> bundles,
            ObjectProvider<NodeSpecCustomizer> customizers,
            ObjectProvider<WeirProperties> properties) {
        return new NodeSpecReader(environment, details, bundles, properties)
                .read(customizers.orderedStream().toList());
    }

    /** A node of ours, unless the application has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Node.class)
    static final class OwnNode {

        @Bean
        NodeStarter weirNodeStarter(NodeSpec spec) {
            return new NodeStarter(spec);
        }

        /** Closed by its starter. */
        @Bean(destroyMethod = "")
        @Lazy
        Node weirNode(NodeStarter starter, Environment environment, ObjectProvider<CallInterceptor> interceptors) {
            Node node = starter.node();
            interceptors.orderedStream().forEach(node::intercept);
            String[] context = Binder.get(environment)
                    .bind("weir.observation.context", String[].class)
                    .orElse(new String[0]);
            if (context.length > 0) {
                node.intercept(ContextEntries.of(context));
            }
            return node;
        }
    }

    /** Of the application's own node. */
    @Bean
    @ConditionalOnMissingBean
    NodeStarter weirNodeOfApplication(Node node) {
        return new NodeStarter(node);
    }

    @Bean
    ArrivalEvents weirArrivalEvents(NodeStarter starter, ApplicationContext context) {
        return new ArrivalEvents(starter.whenThere(), context);
    }

    /** Closed with the node's lifecycle. */
    @Bean(destroyMethod = "")
    @Lazy
    @ConditionalOnMissingBean
    Services weirServices(Node node, NodeStarter starter, ObjectProvider<ServiceDirectory> directory) {
        ServiceDirectory other = directory.getIfAvailable();
        return other == null
                ? starter.await(Services.open(node), "the directory of services")
                : Services.of(node, other);
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean
    WeirPeers weirPeers(
            Node node,
            Services services,
            ObjectProvider<CallCodec> codec,
            WeirProperties properties,
            ObjectProvider<ProxyOptionsCustomizer> customizers) {
        return new ConfiguredPeers(
                node,
                services,
                codec,
                properties.peers(),
                customizers.orderedStream().toList());
    }

    /** What {@link PeerPort} asks for. */
    @Bean(destroyMethod = "")
    @Fallback
    @Scope("prototype")
    ServiceClient weirPort(InjectionPoint point, WeirPeers peers) {
        PeerPort said = AnnotatedElementUtils.findMergedAnnotation(element(point), PeerPort.class);
        if (said == null) {
            throw new Misconfigured("a ServiceClient or Mono<Channel> is injected at " + point
                    + ", and nothing says which: annotate it with @PeerPort(peer = …, port = …)");
        }
        WeirPeer peer = said.peer().isEmpty() ? peers.any() : peers.get(said.peer());
        return peer.port(said.port());
    }

    /** A channel of its own for each subscription. */
    @Bean
    @Fallback
    @Scope("prototype")
    Mono<Channel> weirChannel(InjectionPoint point, WeirPeers peers) {
        return weirPort(point, peers).channel();
    }

    private static AnnotatedElement element(InjectionPoint point) {
        return Objects.requireNonNull(
                point.getMethodParameter() == null
                        ? point.getAnnotatedElement()
                        : AnnotatedElementUtils.forAnnotations(
                                point.getMethodParameter().getParameterAnnotations()));
    }

    @Bean
    @ConditionalOnMissingBean
    WeirServing weirServing(
            ConfigurableListableBeanFactory beans,
            ApplicationContext context,
            NodeStarter starter,
            ObjectProvider<ExportOptionsCustomizer> customizers,
            Environment environment) {
        Duration phase = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(PHASE);
        return new WeirServing(beans, context, starter, customizers, phase.minus(phase.dividedBy(PART_KEPT)));
    }

    @Bean
    @ConditionalOnMissingBean
    NodeClosing weirNodeClosing(NodeStarter starter, ConfigurableListableBeanFactory beans) {
        return new NodeClosing(starter, beans);
    }

    /**
     * Threads for methods of remote services that may block; by name only, so that Boot's own executors stay what they
     * are.
     */
    @Configuration(proxyBeanMethods = false)
    static final class CallThreads {

        @Bean(name = WeirServing.THREADS, defaultCandidate = false)
        @ConditionalOnThreading(Threading.VIRTUAL)
        @ConditionalOnMissingBean(name = WeirServing.THREADS)
        AsyncTaskExecutor weirCallThreads() {
            return new VirtualThreadTaskExecutor("weir-call-");
        }

        @Bean(name = WeirServing.THREADS, destroyMethod = "shutdown", defaultCandidate = false)
        @ConditionalOnThreading(Threading.PLATFORM)
        @ConditionalOnMissingBean(name = WeirServing.THREADS)
        Executor weirCallPlatformThreads() {
            return new BlockingCallThreads("weir-call-");
        }
    }
}
