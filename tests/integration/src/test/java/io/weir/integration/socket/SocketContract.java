package io.weir.integration.socket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.integration.Nodes;
import io.weir.integration.OnRoute;
import io.weir.integration.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a {@code java.net.Socket} does. The JDK's own keep to it, and so must ours, over every path. */
abstract class SocketContract implements OnRoute {

    private static final int MIB = 1 << 20;

    private ServerSocket server;
    private Socket near;
    private Socket far;

    /** At any free port of this host. */
    abstract ServerSocket listen() throws IOException;

    abstract Socket unconnected() throws IOException;

    @BeforeEach
    void connect(Nodes nodes) throws IOException {
        prepare(nodes);
        server = listen();
        near = unconnected();
        near.connect(address());
        far = server.accept();
    }

    void prepare(Nodes nodes) throws IOException {}

    private InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
        server.close();
    }

    @Test
    void bytesArriveAsTheyWereWrittenInBothDirectionsAtOnce() throws IOException {
        byte[] there = random(3 * MIB);
        byte[] back = random(2 * MIB);
        CompletableFuture<Void> writing = begin(() -> writePieces(near, there));
        CompletableFuture<Void> answering = begin(() -> writePieces(far, back));
        CompletableFuture<byte[]> read = begin(() -> far.getInputStream().readNBytes(there.length));
        assertThat(near.getInputStream().readNBytes(back.length)).isEqualTo(back);
        assertThat(read.join()).isEqualTo(there);
        writing.join();
        answering.join();
    }

    @Test
    void singleBytesAreUnsigned() throws IOException {
        for (int value : new int[] {0, 1, 127, 128, 255}) {
            near.getOutputStream().write(value);
            assertThat(far.getInputStream().read()).isEqualTo(value);
        }
        assertThat(far.getInputStream().read(new byte[0])).isZero();
        assertThatThrownBy(() -> far.getInputStream().read(new byte[4], 2, 3))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void thousandsOfSmallWritesBeforeAnybodyReads() throws IOException {
        OutputStream out = near.getOutputStream();
        for (int i = 0; i < 5_000; i++) {
            out.write(i);
            out.flush();
        }
        byte[] read = far.getInputStream().readNBytes(5_000);
        for (int i = 0; i < 5_000; i++) {
            assertThat(read[i]).isEqualTo((byte) i);
        }
    }

    @Test
    void aReadThatTakesTooLongFailsAndTheSocketGoesOn() throws IOException {
        far.setSoTimeout(20);
        assertThat(far.getSoTimeout()).isEqualTo(20);
        assertThatThrownBy(() -> far.getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("timed out");
        far.setSoTimeout(0);
        write(near, "later");
        assertThat(read(far, 5)).isEqualTo("later");
    }

    @Test
    void anAcceptThatTakesTooLongFailsAndTheServerGoesOn() throws IOException {
        server.setSoTimeout(20);
        assertThatThrownBy(() -> server.accept())
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("timed out");
        server.setSoTimeout(0);
        try (Socket further = unconnected()) {
            further.connect(address());
            try (Socket accepted = server.accept()) {
                write(further, "hello");
                assertThat(read(accepted, 5)).isEqualTo("hello");
            }
        }
    }

    @Test
    void whereNobodyListensAConnectionIsRefused() throws IOException {
        server.close();
        try (Socket late = unconnected()) {
            assertThatThrownBy(() -> late.connect(address())).isInstanceOf(ConnectException.class);
            assertThat(late.isConnected()).isFalse();
        }
        write(near, "goes on");
        assertThat(read(far, 7)).isEqualTo("goes on");
    }

    @Test
    void whoConnectsNeedNotWaitForTheAccept() throws IOException {
        try (Socket early = unconnected()) {
            early.connect(address());
            write(early, "first");
            try (Socket accepted = server.accept()) {
                assertThat(read(accepted, 5)).isEqualTo("first");
            }
        }
    }

    @Test
    void oneDirectionEndsAndTheOtherGoesOn() throws IOException {
        write(near, "question");
        near.shutdownOutput();
        assertThat(new String(far.getInputStream().readAllBytes(), UTF_8)).isEqualTo("question");
        assertThat(far.getInputStream().read()).isEqualTo(-1);
        write(far, "answer");
        assertThat(read(near, 6)).isEqualTo("answer");
        assertThat(near.isOutputShutdown()).isTrue();
        assertThatThrownBy(() -> near.getOutputStream().write(1)).isInstanceOf(IOException.class);
    }

    @Test
    void whoShutsItsInputReadsTheEndAndThePeerMayStillWrite() throws IOException {
        write(far, "unread");
        far.getOutputStream().flush();
        near.shutdownInput();
        assertThat(near.isInputShutdown()).isTrue();
        write(far, "dropped");
        write(near, "still");
        assertThat(read(far, 5)).isEqualTo("still");
        assertThatThrownBy(() -> near.getInputStream()).isInstanceOf(SocketException.class);
    }

    @Test
    void shuttingTheInputWakesWhoReads() throws IOException {
        InputStream in = near.getInputStream();
        Blocked<Integer> reading = new Blocked<>(in::read);
        near.shutdownInput();
        assertThat(reading.outcome()).isEqualTo(-1);
    }

    @Test
    void closingWakesWhoReads() throws IOException {
        InputStream in = near.getInputStream();
        Blocked<Integer> reading = new Blocked<>(in::read);
        near.close();
        assertThatThrownBy(reading::outcome).hasCauseInstanceOf(SocketException.class);
        assertThatThrownBy(in::read).isInstanceOf(SocketException.class);
        assertThat(far.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aWriterWaitsForTheReaderAndClosingWakesIt() throws IOException {
        AtomicLong written = new AtomicLong();
        OutputStream out = near.getOutputStream();
        Blocked<Void> writing = new Blocked<>(() -> {
            for (byte[] piece = new byte[100_000]; ; written.addAndGet(piece.length)) {
                out.write(piece);
            }
        });
        assertThat(written.get()).isLessThan(64L * MIB);
        near.close();
        assertThatThrownBy(writing::outcome).hasCauseInstanceOf(SocketException.class);
    }

    @Test
    void aWriterThatWaitsGoesOnWhenTheReaderDoes() throws IOException {
        OutputStream out = near.getOutputStream();
        byte[] all = random(32 * MIB);
        Blocked<Void> writing = new Blocked<>(() -> {
            out.write(all);
            return null;
        });
        assertThat(Arrays.equals(far.getInputStream().readNBytes(all.length), all))
                .isTrue();
        assertThat(writing.outcome()).isNull();
    }

    @Test
    void closingWakesWhoAccepts() throws IOException {
        Blocked<Socket> accepting = new Blocked<>(server::accept);
        server.close();
        assertThatThrownBy(accepting::outcome).hasCauseInstanceOf(SocketException.class);
        assertThatThrownBy(() -> server.accept()).isInstanceOf(SocketException.class);
    }

    @Test
    void anInterruptDoesNotConcernAPlatformThread() throws Exception {
        InputStream in = near.getInputStream();
        Blocked<Integer> reading = new Blocked<>(() -> {
            int value = in.read();
            return Thread.currentThread().isInterrupted() ? value : -2;
        });
        reading.thread.interrupt();
        write(far, "A");
        assertThat(reading.outcome()).isEqualTo('A');
    }

    @Test
    void whatIsAvailableCanBeReadWithoutWaiting() throws IOException {
        InputStream in = far.getInputStream();
        assertThat(in.available()).isZero();
        write(near, "12345");
        Patience.until("five bytes are there", () -> available(in) == 5);
        assertThat(read(far, 2)).isEqualTo("12");
        assertThat(in.available()).isEqualTo(3);
    }

    @Test
    void whatWasWrittenBeforeTheCloseArrives() throws IOException {
        byte[] all = random(MIB);
        CompletableFuture<byte[]> read = begin(() -> far.getInputStream().readAllBytes());
        near.getOutputStream().write(all);
        near.close();
        assertThat(read.join()).isEqualTo(all);
    }

    @Test
    void writingToWhoHasClosedFailsInTheEnd() throws IOException {
        far.close();
        assertThat(near.getInputStream().read()).isEqualTo(-1);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        near.getOutputStream().write(new byte[1_000]);
                        Thread.onSpinWait();
                    }
                })
                .isInstanceOf(SocketException.class);
    }

    @Test
    void lingeringForNoTimeResets() throws IOException {
        InputStream in = far.getInputStream();
        near.setSoLinger(true, 0);
        assertThat(near.getSoLinger()).isZero();
        near.close();
        assertThatThrownBy(in::read).isInstanceOf(SocketException.class).hasMessageContaining("reset");
    }

    @Test
    void closingAStreamClosesTheSocket() throws IOException {
        near.getInputStream().close();
        assertThat(near.isClosed()).isTrue();
        assertThatThrownBy(() -> near.getOutputStream()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> near.setSoTimeout(1)).isInstanceOf(SocketException.class);
    }

    @Test
    void optionsAreAcceptedAndAddressesAreThere() throws IOException {
        near.setTcpNoDelay(true);
        near.setKeepAlive(true);
        near.setReuseAddress(true);
        near.setTrafficClass(0);
        near.setReceiveBufferSize(10_000);
        near.setSendBufferSize(10_000);
        near.setSoLinger(true, 1);
        near.setSoLinger(false, 0);
        near.setPerformancePreferences(0, 1, 2);
        assertThat(near.getTcpNoDelay()).isTrue();
        assertThat(near.getKeepAlive()).isTrue();
        assertThat(near.getSoLinger()).isEqualTo(-1);
        assertThat(near.isConnected() && near.isBound() && !near.isClosed()).isTrue();
        assertThat(near.getPort()).isEqualTo(server.getLocalPort());
        assertThat(near.getInetAddress()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(near.getLocalPort()).isPositive();
        assertThat(near.getLocalAddress()).isNotNull();
        assertThat(far.getInetAddress()).isNotNull();
        assertThat(far.getLocalPort()).isEqualTo(server.getLocalPort());
        assertThat(far.getPort()).isPositive();
        assertThat(server.isBound()).isTrue();
        assertThat(near.toString() + far + server).contains(Integer.toString(server.getLocalPort()));
    }

    /** A thread that waits in a call. */
    private static final class Blocked<T> {

        private final FutureTask<T> task;
        final Thread thread;

        Blocked(Callable<T> call) {
            task = new FutureTask<>(call);
            thread = new Thread(task, "blocked");
            thread.start();
            StackTraceElement[] seen = {};
            // Two looks at the same stack: in the kernel, or parked.
            for (int same = 0; same < 20; ) {
                StackTraceElement[] now = thread.getStackTrace();
                same = Arrays.equals(seen, now) && now.length > 4 ? same + 1 : 0;
                seen = now;
                Thread.onSpinWait();
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
            }
        }

        T outcome() {
            try {
                return task.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
            } catch (java.util.concurrent.ExecutionException e) {
                throw new CompletionException(e.getCause());
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static <T> CompletableFuture<T> begin(Callable<T> call) {
        CompletableFuture<T> outcome = new CompletableFuture<>();
        new Thread(
                        () -> {
                            try {
                                outcome.complete(call.call());
                            } catch (Throwable t) {
                                outcome.completeExceptionally(t);
                            }
                        },
                        "other end")
                .start();
        return outcome.orTimeout(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static Void writePieces(Socket socket, byte[] all) throws IOException {
        OutputStream out = socket.getOutputStream();
        Random random = new Random(all.length);
        for (int at = 0; at < all.length; ) {
            int length = Math.min(all.length - at, 1 + random.nextInt(random.nextBoolean() ? 100 : 200_000));
            out.write(all, at, length);
            at += length;
        }
        return null;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static int available(InputStream in) {
        try {
            return in.available();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(UTF_8));
    }

    private static String read(Socket socket, int length) throws IOException {
        return new String(socket.getInputStream().readNBytes(length), UTF_8);
    }
}
