package io.weir.service.remote;

import io.weir.channel.Peer;

/** The objects that are passed by reference between a node and its peers. Any thread. */
interface ObjectTable {

    /** Serves the calls of objects that peers have; does nothing if it serves them already. */
    void serve();

    /** Passes an object to this peer: the number by which the peer calls it. */
    int lend(Object object, ReferencePlace place, Peer to);

    /** What was lent last for this object was not sent. */
    void takeBack(Object object, ReferencePlace place, Peer from);

    /** What calls the object to which the peer has given this number. */
    Object receive(int number, ReferencePlace place, Peer from);

    /** The peer's object of this number was received, and nobody wants it. */
    void giveBack(int number, Peer to);
}
