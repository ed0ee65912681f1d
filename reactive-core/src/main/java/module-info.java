/** The vocabulary of Weir, messages, codecs, addresses and errors, and what a transport implements. */
module io.weir.core {
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires transitive org.reactivestreams;
    requires transitive reactor.core;
    requires transitive io.netty.transport;
    requires transitive org.slf4j;
    requires static transitive org.jspecify;
    requires static tools.jackson.core;
    requires static tools.jackson.databind;
    requires static tools.jackson.dataformat.cbor;

    exports io.weir.core;
}
