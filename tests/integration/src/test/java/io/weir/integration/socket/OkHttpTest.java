package io.weir.integration.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import io.weir.integration.Route;
import io.weir.service.socket.SocketRelay;
import io.weir.service.socket.WeirSockets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client library that knows only {@code javax.net.SocketFactory}, and a server that knows nothing, with a relay
 * before it.
 */
class OkHttpTest implements OnRoute {

    private static final byte[] PATTERN = bytes();

    private final ExecutorService workers = Executors.newCachedThreadPool();
    private final ConnectionPool pool = new ConnectionPool(20, 1, TimeUnit.MINUTES);
    private final CountDownLatch stalled = new CountDownLatch(1);
    private HttpServer server;
    private SocketRelay relay;
    private OkHttpClient client;

    @Override
    public Route route() {
        return Route.SHM;
    }

    @BeforeEach
    void start(Nodes nodes) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.setExecutor(workers);
        server.createContext("/hello", exchange -> answer(exchange, "hello"));
        server.createContext(
                "/from",
                exchange -> answer(exchange, exchange.getRemoteAddress().toString()));
        server.createContext("/sum", exchange -> answer(exchange, Long.toString(sum(exchange.getRequestBody()))));
        server.createContext("/pour", OkHttpTest::pour);
        server.createContext("/stall", this::stall);
        server.start();
        relay = WeirSockets.of(nodes.start("far")).relay(0, server.getAddress());
        client = new OkHttpClient.Builder()
                .socketFactory(WeirSockets.of(nodes.start("near")).socketFactory())
                .connectionPool(pool)
                .callTimeout(Patience.LIMIT)
                .build();
    }

    @AfterEach
    void stop() {
        pool.evictAll();
        client.dispatcher().executorService().shutdown();
        relay.close();
        server.stop(0);
        workers.shutdownNow();
        Patience.until("the relay has let go", () -> relay.connections() == 0);
    }

    @Test
    void oneConnectionServesManyCalls() throws IOException {
        String first = get("/from");
        for (int i = 0; i < 10; i++) {
            assertThat(get("/from")).isEqualTo(first);
        }
        assertThat(pool.connectionCount()).isEqualTo(1);
        assertThat(relay.connections()).isEqualTo(1);
    }

    @Test
    void longBodiesWithoutALengthArriveInBothDirections() throws IOException {
        try (Response response = call("/pour").execute()) {
            assertThat(response.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(sum(response.body().byteStream())).isEqualTo(sum(pattern()));
        }
        RequestBody upload = new RequestBody() {
            @Override
            public MediaType contentType() {
                return MediaType.get("application/octet-stream");
            }

            @Override
            public void writeTo(BufferedSink sink) throws IOException {
                var unused = pattern().transferTo(sink.outputStream());
            }
        };
        Request request = request("/sum").post(upload).build();
        try (Response response = client.newCall(request).execute()) {
            assertThat(response.body().string()).isEqualTo(Long.toString(sum(pattern())));
        }
    }

    @Test
    void aServerThatTakesTooLongIsGivenUp() throws IOException {
        OkHttpClient impatient =
                client.newBuilder().readTimeout(100, TimeUnit.MILLISECONDS).build();
        assertThatThrownBy(() -> impatient.newCall(request("/stall").build()).execute())
                .isInstanceOf(InterruptedIOException.class)
                .hasMessageContaining("time");
        stalled.countDown();
        assertThat(get("/hello")).isEqualTo("hello");
    }

    @Test
    void whoCancelsWithinABodyEndsIt() throws IOException {
        Call call = call("/pour?for=ever");
        try (Response response = call.execute()) {
            InputStream body = response.body().byteStream();
            assertThat(body.readNBytes(100_000)).hasSize(100_000);
            call.cancel();
            assertThatThrownBy(body::readAllBytes).isInstanceOf(IOException.class);
        }
        Patience.until("the server's connection has gone", () -> relay.connections() == 0);
        assertThat(get("/hello")).isEqualTo("hello");
    }

    @Test
    void twentyCallsAtOnce() {
        List<CompletableFuture<String>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return get("/hello") + sumOf("/pour");
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    workers));
        }
        assertThat(calls)
                .allSatisfy(each -> assertThat(each.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isEqualTo("hello" + sum(pattern())));
    }

    @Test
    void aTargetThatIsNotThereBreaksTheConnection() {
        server.stop(0);
        assertThatThrownBy(() -> get("/hello")).isInstanceOf(IOException.class);
    }

    private Request.Builder request(String path) {
        return new Request.Builder().url("http://127.0.0.1:" + relay.port() + path);
    }

    private Call call(String path) {
        return client.newCall(request(path).build());
    }

    private String get(String path) throws IOException {
        try (Response response = call(path).execute()) {
            return response.body().string();
        }
    }

    private long sumOf(String path) throws IOException {
        try (Response response = call(path).execute()) {
            return sum(response.body().byteStream());
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** In chunks, as its length is not told; for ever if that is asked. */
    private static void pour(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            do {
                var unused = pattern().transferTo(out);
            } while (exchange.getRequestURI().getQuery() != null);
        }
    }

    private void stall(HttpExchange exchange) throws IOException {
        Patience.await("the client has given up", stalled);
        answer(exchange, "");
    }

    private static long sum(InputStream all) {
        CRC32 sum = new CRC32();
        byte[] piece = new byte[50_000];
        try (all) {
            for (int count; (count = all.read(piece)) >= 0; ) {
                sum.update(piece, 0, count);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return sum.getValue();
    }

    /** Bytes that tell where they belong. */
    private static InputStream pattern() {
        return new ByteArrayInputStream(PATTERN);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[5_000_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 >>> 3);
        }
        return bytes;
    }
}
