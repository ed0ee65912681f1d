package io.weir.hostile.client;

import java.io.Closeable;
import java.io.IOException;

/** Carries the frames of one session. Any thread may send, one receives. */
public interface Wire extends Closeable {

    /** The path that a session over this has. */
    String path();

    /** The address that was dialled; nothing where none was. */
    String dialled();

    /** Sends the frames in this order, with nothing of another thread between them. */
    void send(Frame... frames) throws IOException;

    /** Waits for the next frame; EOFException at the end. */
    Frame receive() throws IOException;

    /** Breaks it, at once and without a word. */
    @Override
    void close();
}
