package io.weir.benchmark.contender;

import io.weir.channel.Node;
import io.weir.core.Waiting;
import io.weir.spring.ImportRemoteServices;
import io.weir.spring.RemoteService;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/**
 * The interface called between two services of Spring Boot, by what the starter makes of annotations and properties.
 */
final class BootContender implements Contender {

    private static final String PEER = "quotes";
    /** Kept here, as a logger that nobody refers to forgets its level. */
    private static final Logger TELEMETRY_LOG = Logger.getLogger("io.opentelemetry");

    private final String path;
    private final Setup setup;
    private final Observing observing;
    private @Nullable ConfigurableApplicationContext application;

    /**
     * @param setup its variant is the way of {@link Waiting}
     * @param observing what is observed of each call
     */
    BootContender(String path, Setup setup, Observing observing) {
        this.path = path;
        this.setup = setup;
        this.observing = observing;
    }

    /** The one that is called. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Serving {

        @Bean
        Answering quotes(Pinning pinning) {
            return new Answering(new WeirCalls.Answering(pinning));
        }
    }

    /** The one that calls. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ImportRemoteServices(group = PEER, types = Quotes.class)
    static class Calling {}

    /** As a service is written. */
    @RemoteService
    static final class Answering implements Quotes {

        private final Quotes quotes;

        Answering(Quotes quotes) {
            this.quotes = quotes;
        }

        @Override
        public Mono<Quote> quote(Order order) {
            return quotes.quote(order);
        }

        @Override
        public Mono<byte[]> echo(byte[] bytes) {
            return quotes.echo(bytes);
        }
    }

    @Override
    public String serve(Cell cell) {
        return start(Serving.class).getBean(Node.class).address().toString();
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        Quotes quotes = start(Calling.class, "--weir.peers." + PEER + ".address=" + address)
                .getBean(Quotes.class);
        WeirCalls.drive(quotes, cell, new Conversation(cell, meter, setup.pinning()), meter);
        meter.await();
    }

    private ConfigurableApplicationContext start(Class<?> configuration, String... further) {
        ConfigurableApplicationContext started = start(
                configuration,
                setup.pinning(),
                WebApplicationType.NONE,
                List.of(
                        "--weir.transport.order=" + path,
                        "--weir.transport." + path + "=required",
                        "--weir.waiting=" + setup.variant(),
                        "--weir.runtime-folder=" + setup.folder(),
                        "--weir.directory=off",
                        // Nothing of this is measured, and native libraries load slowly where others compete for the
                        // processors.
                        "--weir.timeout.handshake=10s",
                        "--weir.timeout.step=10s"),
                Stream.concat(observing.settings().stream(), Stream.of(further)).toList());
        application = started;
        return started;
    }

    /** An application with these arguments, which writes nothing of its own start. */
    static ConfigurableApplicationContext start(
            Class<?> configuration,
            Pinning pinning,
            WebApplicationType web,
            List<String> arguments,
            List<String> further) {
        // Each provider is closed by Spring and then by the SDK, which is reported as if it were a fault.
        TELEMETRY_LOG.setLevel(Level.WARNING);
        // The log is that of all contenders.
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
        return new SpringApplicationBuilder(configuration)
                .web(web)
                .initializers(context -> context.getBeanFactory().registerSingleton("pinning", pinning))
                .properties("spring.main.banner-mode=off", "spring.jmx.enabled=false")
                .run(Stream.concat(arguments.stream(), further.stream()).toArray(String[]::new));
    }

    @Override
    public void close() {
        if (application != null) {
            application.close();
        }
    }
}
