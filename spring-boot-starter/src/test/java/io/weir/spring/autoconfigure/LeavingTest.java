package io.weir.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.weir.channel.Node;
import io.weir.spring.ImportRemoteServices;
import io.weir.spring.RemoteService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Applications stop without harm to those that call them, and stop whatever others do. */
class LeavingTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    interface Counter {
        Mono<Long> next();

        Mono<Long> never();
    }

    @RemoteService(service = "counter")
    static class Counting implements Counter {
        private final AtomicLong count = new AtomicLong();
        final CountDownLatch waiting = new CountDownLatch(1);

        @Override
        public Mono<Long> next() {
            return Mono.delay(Duration.ofMillis(1)).map(tick -> count.incrementAndGet());
        }

        @Override
        public Mono<Long> never() {
            waiting.countDown();
            return Mono.never();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        SslAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        WeirCodecAutoConfiguration.class,
        WeirAutoConfiguration.class
    })
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class Server extends Application {
        @Bean
        Counting counting() {
            return new Counting();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportRemoteServices(group = "counters", types = Counter.class)
    static class Client extends Application {}

    private ConfigurableApplicationContext run(Class<?> application, String... more) {
        String[] arguments = new String[more.length + 1];
        arguments[0] = "--weir.runtime-folder=" + folder.resolve("run");
        System.arraycopy(more, 0, arguments, 1, more.length);
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(arguments);
    }

    @Test
    void noCallFailsWhileInstancesComeAndGo() throws Exception {
        try (ConfigurableApplicationContext stays = run(Server.class);
                ConfigurableApplicationContext calls = run(Client.class, "--weir.peers.counters.service=counter")) {
            Counter counter = calls.getBean(Counter.class);
            AtomicBoolean over = new AtomicBoolean();
            AtomicLong answers = new AtomicLong();
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            CountDownLatch ended = new CountDownLatch(8);
            for (int i = 0; i < 8; i++) {
                var unused = Mono.defer(counter::next)
                        .doOnNext(count -> answers.incrementAndGet())
                        .repeat(() -> !over.get())
                        .subscribe(
                                count -> {},
                                error -> {
                                    failures.add(error);
                                    ended.countDown();
                                },
                                ended::countDown);
            }
            for (int i = 0; i < 3; i++) {
                ConfigurableApplicationContext goes = run(Server.class);
                AtomicLong of = counts(goes);
                awaitMore(of, 20);
                goes.close();
                awaitMore(answers, 20);
            }
            over.set(true);
            assertThat(ended.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(failures).isEmpty();
            assertThat(stays.isActive()).isTrue();
        }
    }

    private static AtomicLong counts(ConfigurableApplicationContext of) {
        return of.getBean(Counting.class).count;
    }

    private static void awaitMore(AtomicLong count, long more) throws InterruptedException {
        long wanted = count.get() + more;
        long end = System.nanoTime() + LIMIT.toNanos();
        while (count.get() < wanted) {
            assertThat(System.nanoTime()).as("%s of %s", count, wanted).isLessThan(end);
            Thread.sleep(1);
        }
    }

    @Test
    void aCallThatNeverEndsDoesNotKeepItFromStopping() throws Exception {
        ConfigurableApplicationContext server = run(Server.class, "--spring.lifecycle.timeout-per-shutdown-phase=1s");
        Node node = server.getBean(Node.class);
        try (ConfigurableApplicationContext client = run(Client.class, "--weir.peers.counters.service=counter")) {
            Counter counter = client.getBean(Counter.class);
            Mono<Long> waits = Mono.fromFuture(counter.never().toFuture());
            assertThat(server.getBean(Counting.class).waiting.await(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();

            // Far less than the call would take, which never ends.
            assertTimeoutPreemptively(LIMIT, server::close);

            node.closed().block(LIMIT);
            assertThat(waits.materialize().block(LIMIT).getThrowable()).isNotNull();
        }
    }
}
