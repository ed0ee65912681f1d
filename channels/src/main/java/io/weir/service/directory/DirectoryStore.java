package io.weir.service.directory;

import java.io.IOException;

/**
 * Where nodes leave what they announce of themselves, for others to read. Used on its directory's own thread only,
 * which may block; it updates the view on that thread, and never with the own node.
 */
interface DirectoryStore {

    /**
     * Begins to look, and has seen what there is when this returns.
     *
     * @throws io.weir.core.WeirException telling what is wrong, with the remedy
     */
    void open() throws IOException;

    /**
     * Replaces what the own node announces. Others can see it when this returns. The store keeps it visible from then
     * on, and what was announced before if this fails.
     *
     * @throws io.weir.core.WeirException telling what is wrong, with the remedy
     */
    void publish(Listing listing) throws IOException;

    /**
     * Says goodbye, if anything was announced, and ends everything that {@link #open} has begun, also after a failure
     * of it. Bounded in time.
     */
    void close();
}
