package io.weir.samples.shop.shared;

import io.weir.channel.Node;
import io.weir.samples.process.Serving;
import java.io.IOException;
import java.io.OutputStream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The process of a service of the shop. */
public final class ShopProcess {

    /** Stands before the root of what it serves over HTTP, in a line of output. */
    public static final String WEB = "WEB ";

    private ShopProcess() {}

    /**
     * Runs the application with the {@code application.yml} beside it, says on standard output where it is reached, and
     * stops it in good order when its standard input ends, so that it never outlives who has started it.
     */
    public static void run(Class<?> application, String... arguments) throws IOException {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(application)
                .properties("spring.config.location=classpath:/"
                        + application.getPackageName().replace('.', '/') + '/')
                .run(arguments);
        System.out.println(Serving.READY + context.getBean(Node.class).address());
        System.out.println(WEB + "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port"));
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(SpringApplication.exit(context));
    }
}
