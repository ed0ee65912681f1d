package io.weir.hostile.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A TCP connection. */
public final class TcpWire implements Wire {

    private static final int CONNECT_MILLIS = 10_000;
    private static final int BATCH = 1 << 18;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /** The node that closes has its own time limits; ours ends what it forgot. */
    public TcpWire(InetSocketAddress address, int readMillis) throws IOException {
        socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(address, CONNECT_MILLIS);
            socket.setSoTimeout(readMillis);
            in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
            out = socket.getOutputStream();
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }

    @Override
    public String path() {
        return "tcp";
    }

    @Override
    public String dialled() {
        return "tcp://127.0.0.1:" + socket.getPort();
    }

    @Override
    public synchronized void send(Frame... frames) throws IOException {
        Bytes batch = new Bytes();
        for (Frame frame : frames) {
            batch.bytes(frame.bytes());
            if (batch.size() >= BATCH) {
                out.write(batch.toArray());
                batch = new Bytes();
            }
        }
        out.write(batch.toArray());
    }

    /** Sends bytes that may be anything. */
    public synchronized void raw(byte[] bytes) throws IOException {
        out.write(bytes);
    }

    @Override
    public Frame receive() throws IOException {
        return Frame.read(in);
    }

    /** Reads and forgets; returns how many bytes there were, -1 at the end. */
    public int skip(byte[] into) throws IOException {
        return in.read(into);
    }

    /** The end of what is sent; it can still be read. */
    public void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public synchronized void close() {
        try {
            if (socket.isClosed()) {
                return;
            }
            // A reset, so that thousands of these leave nothing behind in the kernel.
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
