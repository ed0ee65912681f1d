package io.weir.transport.verbs;

import io.weir.core.Link;
import io.weir.transport.loop.NettyLoop;

/** Makes what stands on a connection: the registered memory that it sends from and receives into, and the link. */
interface LinkMaker {

    /** What was made for a link that is not there yet. Closed after the wire, if it never will be. */
    interface Half extends AutoCloseable {

        /** Makes the link, which owns this and the wire from here on. On the loop's thread, when the wire is connected. */
        Link link(NettyLoop loop, VerbsWire wire, String peer);

        @Override
        void close();
    }

    /**
     * Makes and registers the memory, and makes all slots ready in the wire, which is not connected yet. On a thread of its own.
     *
     * @throws io.weir.core.WeirException if the memory can't be had
     */
    Half make(VerbsDevice device, VerbsWire wire, VerbsOptions ours, VerbsOffer theirs);
}
