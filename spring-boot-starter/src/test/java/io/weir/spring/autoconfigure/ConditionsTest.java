package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.micrometer.observation.ObservationRegistry;
import io.weir.channel.CallDescription;
import io.weir.channel.CallInterceptor;
import io.weir.channel.Node;
import io.weir.channel.OutgoingCall;
import io.weir.channel.WeirObservations;
import io.weir.config.NodeSpec;
import io.weir.service.Services;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.remote.CallCodec;
import io.weir.service.remote.CallCodecs;
import io.weir.spring.DiscoveryClientDirectory;
import io.weir.spring.ExportOptionsCustomizer;
import io.weir.spring.PeersConnectionDetails;
import io.weir.spring.RemoteService;
import io.weir.spring.WeirCodecs;
import io.weir.spring.WeirPeers;
import io.weir.spring.WeirStatus;
import io.weir.spring.autoconfigure.Conditions.Asked;
import io.weir.spring.endpoint.WeirEndpoint;
import io.weir.spring.endpoint.WeirEndpointWebExtension;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.cloud.client.discovery.composite.reactive.ReactiveCompositeDiscoveryClientAutoConfiguration;
import org.springframework.cloud.client.discovery.simple.reactive.SimpleReactiveDiscoveryClientAutoConfiguration;
import org.springframework.cloud.commons.util.UtilAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.server.RouterFunction;
import reactor.util.context.ContextView;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/**
 * Each condition of each auto-configuration, both ways: in an application that has everything it holds, and without
 * what it asks for what it guards is not there, and nothing else is missing. That a class is not there is only said to
 * the conditions here; {@link MissingJarsTest} takes it away.
 */
@Tag("one-jdk")
class ConditionsTest {

    /** In no order: whose conditions need it say whom they come after. */
    private static final List<Class<?>> CONFIGURATIONS = List.of(
            WeirPageAutoConfiguration.class,
            WeirEndpointAutoConfiguration.class,
            WeirMetricsAutoConfiguration.class,
            WeirHealthAutoConfiguration.class,
            WeirObservationAutoConfiguration.class,
            WeirDiscoveryAutoConfiguration.class,
            WeirAutoConfiguration.class,
            WeirCodecAutoConfiguration.class,
            SslAutoConfiguration.class,
            JacksonAutoConfiguration.class,
            HealthContributorAutoConfiguration.class,
            HealthContributorRegistryAutoConfiguration.class,
            MetricsAutoConfiguration.class,
            CompositeMeterRegistryAutoConfiguration.class,
            ObservationAutoConfiguration.class,
            EndpointAutoConfiguration.class,
            WebEndpointAutoConfiguration.class,
            UtilAutoConfiguration.class,
            SimpleReactiveDiscoveryClientAutoConfiguration.class,
            ReactiveCompositeDiscoveryClientAutoConfiguration.class);

    private static final List<String> PROPERTIES = List.of(
            "weir.directory=off", "weir.discovery.enabled=true", "management.endpoints.web.exposure.include=weir");

    /** As an application has it, so that what is written in small letters is understood. */
    private static final ApplicationContextInitializer<ConfigurableApplicationContext> CONVERSIONS =
            context -> context.getEnvironment().setConversionService(new ApplicationConversionService());

    private static final String PLATFORM_THREADS = "WeirAutoConfiguration$CallThreads#weirCallPlatformThreads";
    private static final String VIRTUAL_THREADS = "WeirAutoConfiguration$CallThreads#weirCallThreads";

    /** An application in which what is asked for is there. */
    enum Whole {
        REACTIVE,
        SERVLET,
        WITHOUT_WEB,
        WITHOUT_CBOR,
        WITH_ITS_NODE,
        ON_VIRTUAL_THREADS;

        AbstractApplicationContextRunner<?, ?, ?> runner(Set<?> leftOut) {
            Class<?>[] configurations = CONFIGURATIONS.stream()
                    .filter(each -> !leftOut.contains(each))
                    .toArray(Class<?>[]::new);
            String[] properties =
                    PROPERTIES.stream().filter(each -> !leftOut.contains(each)).toArray(String[]::new);
            AbstractApplicationContextRunner<?, ?, ?> runner = kind().withInitializer(CONVERSIONS)
                    .withConfiguration(AutoConfigurations.of(configurations))
                    .withPropertyValues(properties);
            return switch (this) {
                case REACTIVE, SERVLET, WITHOUT_WEB -> runner;
                case WITHOUT_CBOR -> missing(CBORMapper.class).apply(runner).withPropertyValues("weir.codec=json");
                case WITH_ITS_NODE -> runner.withUserConfiguration(ItsNode.class);
                case ON_VIRTUAL_THREADS -> runner.withPropertyValues("spring.threads.virtual.enabled=true");
            };
        }

        private AbstractApplicationContextRunner<?, ?, ?> kind() {
            return switch (this) {
                case SERVLET -> new WebApplicationContextRunner();
                case WITHOUT_WEB -> new ApplicationContextRunner();
                default -> new ReactiveWebApplicationContextRunner();
            };
        }

        void assumePossible() {
            assumeTrue(
                    this != ON_VIRTUAL_THREADS || Runtime.version().feature() >= 21, "virtual threads are of Java 21");
        }
    }

    /**
     * A way in which one condition does not hold.
     *
     * @param condition as {@link Asked} tells it
     * @param when what is different
     * @param whole where it holds
     * @param other where it does not, with the change
     * @param leftOut configurations and properties that are not there
     * @param mine what the application has a bean of itself
     * @param gone the beans that are not there besides those of the source; null: none of ours is
     * @param instead the beans that are there only now
     */
    record Without(
            String condition,
            String when,
            Whole whole,
            Whole other,
            UnaryOperator<AbstractApplicationContextRunner<?, ?, ?>> change,
            Set<?> leftOut,
            @Nullable Class<?> mine,
            @Nullable Set<String> gone,
            Set<String> instead) {

        Without in(Whole here) {
            return new Without(condition, when, here, here, change, leftOut, mine, gone, instead);
        }

        Without than(Whole there) {
            return new Without(condition, when, whole, there, change, leftOut, mine, gone, instead);
        }

        Without leavingOut(Object... parts) {
            return new Without(condition, when, whole, other, change, Set.of(parts), mine, gone, instead);
        }

        Without mine(Class<?> type) {
            return new Without(condition, when, whole, other, change, leftOut, type, gone, instead);
        }

        Without allGone() {
            return new Without(condition, when, whole, other, change, leftOut, mine, null, instead);
        }

        Without alsoGone(String... beans) {
            return new Without(condition, when, whole, other, change, leftOut, mine, Set.of(beans), instead);
        }

        Without instead(String... beans) {
            return new Without(condition, when, whole, other, change, leftOut, mine, gone, Set.of(beans));
        }

        @Override
        public String toString() {
            return condition + ": " + when;
        }
    }

    private static Without without(
            String condition, String when, UnaryOperator<AbstractApplicationContextRunner<?, ?, ?>> change) {
        return new Without(condition, when, Whole.REACTIVE, Whole.REACTIVE, change, Set.of(), null, Set.of(), Set.of());
    }

    private static Without property(String condition, String... properties) {
        return without(condition, String.join(", ", properties), runner -> runner.withPropertyValues(properties));
    }

    private static Without noClass(String condition, Class<?>... types) {
        return without(condition, "it is not on the class path", missing(types));
    }

    private static Without leftOut(String condition, Object... parts) {
        return without(condition, "nothing makes it", its -> its).leavingOut(parts);
    }

    private static <T> Without mine(String condition, Class<T> type, Supplier<T> bean) {
        return without(condition, "the application has its own", runner -> runner.withBean(type, bean))
                .mine(type);
    }

    private static Without mine(String condition, Class<?> type, Class<?> configuration) {
        return without(condition, "the application has its own", runner -> runner.withUserConfiguration(configuration))
                .mine(type);
    }

    /** Of what it needs, Spring finds the beans. */
    private static Without mine(String condition, Class<?> type) {
        return without(condition, "the application has its own", runner -> runner.withBean(type))
                .mine(type);
    }

    private static <T> Without named(String condition, String name, Class<T> type, Supplier<T> bean) {
        return without(condition, "the application has its own", runner -> runner.withBean(name, type, bean));
    }

    private static UnaryOperator<AbstractApplicationContextRunner<?, ?, ?>> missing(Class<?>... types) {
        return runner -> runner.withClassLoader(new FilteredClassLoader(types));
    }

    private static UnaryOperator<AbstractApplicationContextRunner<?, ?, ?>> missing(String... packages) {
        return runner -> runner.withClassLoader(new FilteredClassLoader(packages));
    }

    @Configuration(proxyBeanMethods = false)
    static class ItsNode {
        /** Closed with the lifecycle. */
        @Bean(destroyMethod = "")
        Node itsNode() {
            return Objects.requireNonNull(
                    Node.prepare(NodeSpec.builder().name("its").build()).block(Patience.LIMIT));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ItsStarter {
        @Bean
        NodeStarter itsStarter(Node node) {
            return new NodeStarter(node);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ItsServices {
        @Bean(destroyMethod = "")
        Services itsServices(Node node, ReactiveDiscoveryClient client) {
            return Services.of(node, new DiscoveryClientDirectory(client, Duration.ofMinutes(1)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ItsServing {
        @Bean
        WeirServing itsServing(ConfigurableListableBeanFactory beans, ApplicationContext context, NodeStarter starter) {
            return new WeirServing(
                    beans, context, starter, beans.getBeanProvider(ExportOptionsCustomizer.class), Patience.LIMIT);
        }
    }

    /** Something of this type that nobody may use. */
    private static <T> T unused(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return method.invoke(type, values);
                    }
                    throw new AssertionError(method + " is called");
                }));
    }

    private static Stream<Without> ofTheNode() {
        return Stream.of(
                property("WeirAutoConfiguration OnBooleanProperty weir.enabled", "weir.enabled=false")
                        .allGone(),
                mine(
                        "WeirAutoConfiguration#peersConnectionDetails OnMissingBean PeersConnectionDetails",
                        PeersConnectionDetails.class,
                        () -> Map::of),
                mine(
                        "WeirAutoConfiguration#weirNodeSpec OnMissingBean NodeSpec",
                        NodeSpec.class,
                        () -> NodeSpec.builder().name("its").build()),
                mine("WeirAutoConfiguration$OwnNode OnMissingBean Node", Node.class, ItsNode.class)
                        .instead("WeirAutoConfiguration#weirNodeOfApplication"),
                mine(
                                "WeirAutoConfiguration#weirNodeOfApplication OnMissingBean NodeStarter",
                                NodeStarter.class,
                                ItsStarter.class)
                        .in(Whole.WITH_ITS_NODE),
                without(
                                "WeirAutoConfiguration#weirNodeOfApplication OnMissingBean NodeStarter",
                                "the node is ours",
                                its -> its)
                        .in(Whole.WITH_ITS_NODE)
                        .than(Whole.REACTIVE)
                        .instead(
                                "WeirAutoConfiguration$OwnNode#weirNode",
                                "WeirAutoConfiguration$OwnNode#weirNodeStarter"),
                mine("WeirAutoConfiguration#weirServices OnMissingBean Services", Services.class, ItsServices.class),
                mine(
                        "WeirAutoConfiguration#weirPeers OnMissingBean WeirPeers",
                        WeirPeers.class,
                        () -> unused(WeirPeers.class)),
                mine(
                        "WeirAutoConfiguration#weirServing OnMissingBean WeirServing",
                        WeirServing.class,
                        ItsServing.class),
                mine("WeirAutoConfiguration#weirNodeClosing OnMissingBean NodeClosing", NodeClosing.class),
                named(
                        PLATFORM_THREADS + " OnMissingBean weirCallThreads",
                        WeirServing.THREADS,
                        Executor.class,
                        () -> Runnable::run),
                without(PLATFORM_THREADS + " OnThreading PLATFORM", "virtual ones are asked for", its -> its)
                        .than(Whole.ON_VIRTUAL_THREADS)
                        .instead(VIRTUAL_THREADS),
                named(
                                VIRTUAL_THREADS + " OnMissingBean weirCallThreads",
                                WeirServing.THREADS,
                                Executor.class,
                                () -> Runnable::run)
                        .in(Whole.ON_VIRTUAL_THREADS),
                without(VIRTUAL_THREADS + " OnThreading VIRTUAL", "nobody asks for them", its -> its)
                        .in(Whole.ON_VIRTUAL_THREADS)
                        .than(Whole.REACTIVE)
                        .instead(PLATFORM_THREADS));
    }

    private static Stream<Without> ofCodecs() {
        return Stream.of(
                without(
                        "WeirCodecAutoConfiguration OnClass JsonMapper",
                        "Jackson is not on the class path",
                        missing("tools.jackson")),
                property("WeirCodecAutoConfiguration OnBooleanProperty weir.enabled", "weir.enabled=false")
                        .allGone(),
                mine(
                        "WeirCodecAutoConfiguration#weirCallCodec OnMissingBean CallCodec",
                        CallCodec.class,
                        () -> unused(CallCodec.class)),
                without("WeirCodecAutoConfiguration$WithCbor OnClass CBORMapper", "there is JSON alone", its -> its)
                        .than(Whole.WITHOUT_CBOR)
                        .instead("WeirCodecAutoConfiguration$WithoutCbor#weirCodecs"),
                mine(
                        "WeirCodecAutoConfiguration$WithCbor#weirCodecs OnMissingBean WeirCodecs",
                        WeirCodecs.class,
                        () -> new WeirCodecs(JsonMapper.shared(), CBORMapper.shared())),
                without(
                                "WeirCodecAutoConfiguration$WithoutCbor OnMissingClass CBORMapper",
                                "there is CBOR too",
                                its -> its)
                        .in(Whole.WITHOUT_CBOR)
                        .than(Whole.REACTIVE)
                        .instead("WeirCodecAutoConfiguration$WithCbor#weirCodecs"),
                mine(
                                "WeirCodecAutoConfiguration$WithoutCbor#weirCodecs OnMissingBean WeirCodecs",
                                WeirCodecs.class,
                                () -> new WeirCodecs(JsonMapper.shared(), null))
                        .in(Whole.WITHOUT_CBOR));
    }

    private static Stream<Without> ofDiscovery() {
        return Stream.of(
                without(
                                "WeirDiscoveryAutoConfiguration OnClass ReactiveDiscoveryClient",
                                "Spring Cloud is not on the class path",
                                missing("org.springframework.cloud"))
                        .leavingOut(
                                UtilAutoConfiguration.class,
                                SimpleReactiveDiscoveryClientAutoConfiguration.class,
                                ReactiveCompositeDiscoveryClientAutoConfiguration.class),
                leftOut(
                        "WeirDiscoveryAutoConfiguration OnBean ReactiveDiscoveryClient",
                        SimpleReactiveDiscoveryClientAutoConfiguration.class,
                        ReactiveCompositeDiscoveryClientAutoConfiguration.class),
                property("WeirDiscoveryAutoConfiguration OnBooleanProperty weir.enabled", "weir.enabled=false")
                        .allGone(),
                property(
                        "WeirDiscoveryAutoConfiguration OnBooleanProperty weir.discovery.enabled",
                        "weir.discovery.enabled=false"),
                leftOut(
                        "WeirDiscoveryAutoConfiguration OnBooleanProperty weir.discovery.enabled",
                        "weir.discovery.enabled=true"),
                mine(
                        "WeirDiscoveryAutoConfiguration#weirServiceDirectory OnMissingBean ServiceDirectory",
                        ServiceDirectory.class,
                        () -> unused(ServiceDirectory.class)));
    }

    private static Stream<Without> ofObservation() {
        return Stream.of(
                noClass("WeirObservationAutoConfiguration OnClass ObservationRegistry", ObservationRegistry.class),
                leftOut(
                        "WeirObservationAutoConfiguration OnBean ObservationRegistry",
                        ObservationAutoConfiguration.class),
                property("WeirObservationAutoConfiguration OnBooleanProperty weir.enabled", "weir.enabled=false")
                        .allGone(),
                property(
                        "WeirObservationAutoConfiguration OnBooleanProperty weir.observation.enabled",
                        "weir.observation.enabled=false"),
                mine(
                        "WeirObservationAutoConfiguration#weirObservations OnMissingBean WeirObservations",
                        WeirObservations.class,
                        () -> new WeirObservations(ObservationRegistry.NOOP)));
    }

    private static Stream<Without> ofHealthAndMetrics() {
        Supplier<HealthIndicator> up = () -> () -> Health.up().build();
        return Stream.of(
                noClass("WeirHealthAutoConfiguration OnClass HealthContributor", HealthContributor.class),
                noClass(
                        "WeirHealthAutoConfiguration OnClass ConditionalOnEnabledHealthIndicator",
                        ConditionalOnEnabledHealthIndicator.class),
                property("WeirHealthAutoConfiguration OnBean NodeStarter", "weir.enabled=false")
                        .allGone(),
                property(
                        "WeirHealthAutoConfiguration OnEnabledHealthIndicator weir",
                        "management.health.weir.enabled=false"),
                property(
                        "WeirHealthAutoConfiguration OnEnabledHealthIndicator weir",
                        "management.health.defaults.enabled=false"),
                named(
                        "WeirHealthAutoConfiguration#weirHealthContributor OnMissingBean weirHealthContributor",
                        "weirHealthContributor",
                        HealthIndicator.class,
                        up),
                named(
                        "WeirHealthAutoConfiguration#weirHealthContributor OnMissingBean weirHealthIndicator",
                        "weirHealthIndicator",
                        HealthIndicator.class,
                        up),
                mine(
                        "StatusConfiguration#weirStatus OnMissingBean WeirStatus",
                        WeirStatus.class,
                        () -> unused(WeirStatus.class)),
                without(
                        "WeirMetricsAutoConfiguration OnClass MeterRegistry",
                        "Micrometer's core is not on the class path",
                        missing("io.micrometer.core")),
                property("WeirMetricsAutoConfiguration OnBean NodeStarter", "weir.enabled=false")
                        .allGone(),
                leftOut(
                        "WeirMetricsAutoConfiguration OnBean MeterRegistry",
                        MetricsAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class),
                named(
                        "WeirMetricsAutoConfiguration#weirMeters OnMissingBean weirMeters",
                        "weirMeters",
                        String.class,
                        () -> "none"));
    }

    private static Stream<Without> ofTheEndpoint() {
        String available = "WeirEndpointAutoConfiguration OnAvailableEndpoint WeirEndpoint";
        String overHttp = "WeirEndpointAutoConfiguration#weirEndpointWebExtension OnAvailableEndpoint WEB";
        String[] page = {"WeirPageAutoConfiguration$Reactive#weirPage"};
        return Stream.of(
                without(
                                "WeirEndpointAutoConfiguration OnClass ConditionalOnAvailableEndpoint",
                                "Actuator is not on the class path",
                                missing(ConditionalOnAvailableEndpoint.class))
                        .alsoGone(page),
                property("WeirEndpointAutoConfiguration OnBean NodeStarter", "weir.enabled=false")
                        .allGone(),
                leftOut(available, "management.endpoints.web.exposure.include=weir")
                        .alsoGone(page),
                property(available, "management.endpoints.web.exposure.exclude=weir")
                        .alsoGone(page),
                property(available, "management.endpoint.weir.access=none").alsoGone(page),
                property(available, "management.endpoints.access.default=none").alsoGone(page),
                property(available, "management.endpoints.access.max-permitted=none")
                        .alsoGone(page),
                mine("WeirEndpointAutoConfiguration#weirEndpoint OnMissingBean WeirEndpoint", WeirEndpoint.class),
                mine(
                        "WeirEndpointAutoConfiguration#weirEndpointWebExtension OnMissingBean WeirEndpointWebExtension",
                        WeirEndpointWebExtension.class),
                property(
                                overHttp,
                                "spring.jmx.enabled=true",
                                "management.endpoints.jmx.exposure.include=weir",
                                "management.endpoints.web.exposure.include=health")
                        .alsoGone(page));
    }

    private static Stream<Without> ofThePage() {
        String available = "WeirPageAutoConfiguration OnAvailableEndpoint ";
        String[] endpoint = {
            "WeirEndpointAutoConfiguration#weirEndpoint", "WeirEndpointAutoConfiguration#weirEndpointWebExtension"
        };
        return Stream.of(
                without(
                                "WeirPageAutoConfiguration OnClass ConditionalOnAvailableEndpoint",
                                "Actuator is not on the class path",
                                missing(ConditionalOnAvailableEndpoint.class))
                        .alsoGone(endpoint),
                property("WeirPageAutoConfiguration OnBooleanProperty weir.enabled", "weir.enabled=false")
                        .allGone(),
                property("WeirPageAutoConfiguration OnBooleanProperty weir.page.enabled", "weir.page.enabled=false"),
                property(available + "WeirEndpoint", "management.endpoint.weir.access=none")
                        .alsoGone(endpoint),
                property(
                                available + "WEB",
                                "spring.jmx.enabled=true",
                                "management.endpoints.jmx.exposure.include=weir",
                                "management.endpoints.web.exposure.include=health")
                        .alsoGone("WeirEndpointAutoConfiguration#weirEndpointWebExtension"),
                property("WeirPageAutoConfiguration OnManagementPort SAME", "management.server.port=0"),
                property("WeirPageAutoConfiguration OnManagementPort SAME", "management.server.port=-1"),
                without("WeirPageAutoConfiguration OnManagementPort SAME", "there is no web server", its -> its)
                        .than(Whole.WITHOUT_WEB),
                without(
                                "WeirPageAutoConfiguration$Reactive OnWebApplication REACTIVE",
                                "it is one of servlets",
                                its -> its)
                        .than(Whole.SERVLET)
                        .instead("WeirPageAutoConfiguration$Servlet#weirPage"),
                noClass("WeirPageAutoConfiguration$Reactive OnClass RouterFunction", RouterFunction.class),
                named(
                        "WeirPageAutoConfiguration$Reactive#weirPage OnMissingBean weirPage",
                        "weirPage",
                        String.class,
                        () -> "none"),
                without(
                                "WeirPageAutoConfiguration$Servlet OnWebApplication SERVLET",
                                "it is a reactive one",
                                its -> its)
                        .in(Whole.SERVLET)
                        .than(Whole.REACTIVE)
                        .instead("WeirPageAutoConfiguration$Reactive#weirPage"),
                noClass(
                                "WeirPageAutoConfiguration$Servlet OnClass RouterFunction",
                                org.springframework.web.servlet.function.RouterFunction.class)
                        .in(Whole.SERVLET),
                named(
                                "WeirPageAutoConfiguration$Servlet#weirPage OnMissingBean weirPage",
                                "weirPage",
                                String.class,
                                () -> "none")
                        .in(Whole.SERVLET));
    }

    static List<Without> ways() {
        return Stream.of(
                        ofTheNode(),
                        ofCodecs(),
                        ofDiscovery(),
                        ofObservation(),
                        ofHealthAndMetrics(),
                        ofTheEndpoint(),
                        ofThePage())
                .flatMap(all -> all)
                .toList();
    }

    private static final Map<String, Asked> ASKED =
            Conditions.all().stream().collect(Collectors.toMap(Asked::toString, each -> each));

    private static Asked asked(String condition) {
        return Objects.requireNonNull(ASKED.get(condition), condition);
    }

    @Test
    void noConditionIsForgotten() {
        Set<String> tested = new TreeSet<>();
        ways().forEach(way -> tested.add(way.condition()));
        assertThat(tested).isEqualTo(new TreeSet<>(ASKED.keySet()));
    }

    private static void started(
            AbstractApplicationContextRunner<?, ?, ?> runner, Consumer<ConfigurableApplicationContext> check) {
        runner.run(context -> {
            assertThat(context.getStartupFailure()).isNull();
            check.accept(context.getSourceApplicationContext());
        });
    }

    @ParameterizedTest
    @EnumSource(Whole.class)
    void whatIsAskedForHolds(Whole whole) {
        whole.assumePossible();
        started(whole.runner(Set.of()), context -> {
            Set<String> beans = Conditions.beans(context);
            ways().stream().filter(way -> way.whole() == whole).forEach(way -> {
                Asked asked = asked(way.condition());
                assertThat(Conditions.outcomes(context, asked))
                        .as(way.condition())
                        .isNotEmpty()
                        .allMatch(each -> each.getOutcome().isMatch());
                assertThat(Conditions.of(asked.source(), beans))
                        .as(asked.source())
                        .isNotEmpty();
            });
        });
    }

    @ParameterizedTest
    @MethodSource("ways")
    void withoutItWhatItGuardsIsNotThere(Without way) {
        way.whole().assumePossible();
        way.other().assumePossible();
        Asked asked = asked(way.condition());
        started(way.change().apply(way.other().runner(way.leftOut())), context -> {
            assertThat(Conditions.outcomes(context, asked))
                    .as("why it is not there")
                    .anyMatch(each -> Conditions.failed(each, asked));
            Set<String> expected = new TreeSet<>();
            if (way.gone() != null) {
                expected.addAll(whole(way.whole()));
                expected.removeAll(Conditions.of(asked.source(), expected));
                expected.removeAll(way.gone());
                expected.addAll(way.instead());
            }
            assertThat(Conditions.beans(context)).isEqualTo(expected);
            if (way.mine() != null) {
                assertThat(context.getBeanNamesForType(way.mine())).hasSize(1);
            }
        });
    }

    /** As Boot has it: the property is one for a newer JDK as well. */
    @Test
    void whereThereAreNoVirtualThreadsTheyAreOfThePlatform() {
        assumeTrue(Runtime.version().feature() < 21, "this JDK has virtual threads");
        started(
                Whole.ON_VIRTUAL_THREADS.runner(Set.of()),
                context -> assertThat(Conditions.beans(context))
                        .contains(PLATFORM_THREADS)
                        .doesNotContain(VIRTUAL_THREADS));
    }

    private static final Map<Whole, Set<String>> BEANS = new EnumMap<>(Whole.class);

    /** Only made once: nothing changes in it. */
    private static Set<String> whole(Whole whole) {
        return BEANS.computeIfAbsent(whole, its -> {
            Set<String> beans = new HashSet<>();
            started(its.runner(Set.of()), context -> beans.addAll(Conditions.beans(context)));
            return beans;
        });
    }

    interface Greeter {
        String greet(String name);
    }

    @RemoteService
    static class OnAThread implements Greeter {
        @Override
        public String greet(String name) {
            return name + " on " + Thread.currentThread().getName();
        }
    }

    /** What an application has instead of ours: here each tells that it was used. */
    @Configuration(proxyBeanMethods = false)
    static class Its {

        final Set<String> used = ConcurrentHashMap.newKeySet();

        @Bean
        CallCodec itsCodec() {
            CallCodec json = CallCodecs.jackson("its", JsonMapper.shared());
            return new CallCodec() {
                @Override
                public String name() {
                    return json.name();
                }

                @Override
                public Values values(Type type) {
                    used.add("codec");
                    return json.values(type);
                }
            };
        }

        @Bean(destroyMethod = "shutdown")
        ExecutorService weirCallThreads() {
            return Executors.newCachedThreadPool(task -> new Thread(task, "its-thread"));
        }

        @Bean
        CallInterceptor itsInterceptor() {
            return new CallInterceptor() {
                @Override
                public @Nullable OutgoingCall calling(CallDescription call, ContextView context) {
                    used.add("interceptor");
                    return null;
                }
            };
        }

        @Bean
        WeirObservations itsObservations() {
            return new WeirObservations(registry("observations"));
        }

        @Bean
        ObservationRegistry registryOfOthers() {
            return registry("observations by ours");
        }

        private ObservationRegistry registry(String name) {
            ObservationRegistry registry = ObservationRegistry.create();
            registry.observationConfig().observationHandler(context -> {
                used.add(name);
                return true;
            });
            return registry;
        }
    }

    /** It announces nothing, so that only who calls can have it. */
    @Configuration(proxyBeanMethods = false)
    static class ItsDirectory {
        @Bean(destroyMethod = "")
        ServiceDirectory itsDirectory() {
            return new DiscoveryClientDirectory(unused(ReactiveDiscoveryClient.class), Duration.ofMinutes(1));
        }
    }

    /** As well as that ours is not there. */
    @Test
    void whatTheApplicationHasIsUsedInstead() {
        AbstractApplicationContextRunner<?, ?, ?> runner =
                Whole.REACTIVE.runner(Set.of()).withUserConfiguration(Its.class);
        started(runner.withBean(OnAThread.class), server -> {
            String address = server.getBean(Node.class).address().toString();
            started(
                    runner.withUserConfiguration(ItsDirectory.class)
                            .withPropertyValues("weir.peers.server.address=" + address),
                    client -> {
                        Greeter greeter =
                                client.getBean(WeirPeers.class).get("server").client(Greeter.class);
                        assertThat(greeter.greet("Ada")).isEqualTo("Ada on its-thread");
                        assertThat(client.getBean(Its.class).used)
                                .containsExactlyInAnyOrder("codec", "interceptor", "observations");
                        assertThat(client.getBean(Services.class).directory())
                                .isSameAs(client.getBean(ServiceDirectory.class));
                    });
        });
    }
}
