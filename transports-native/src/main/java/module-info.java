/** Weir's transports. Nobody names them: a node finds them as services. */
module io.weir.transport {
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.resolver;
    requires io.netty.resolver.dns; // for Reactor Netty, which has no descriptor
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires io.netty.transport.unix.common;
    requires io.weir.core;
    requires org.jnrproject.ffi;
    requires org.jnrproject.jffi;
    requires org.objectweb.asm; // for JNR-FFI, which has no descriptor
    requires org.reactivestreams;
    requires reactor.core;
    requires reactor.netty.core;

    // JNR-FFI implements interfaces of these with classes that are in no module.
    opens io.weir.transport.dapl;
    opens io.weir.transport.nativelib;
    opens io.weir.transport.rdma;
    opens io.weir.transport.verbs;

    provides io.weir.core.Bootstrap with
            io.weir.transport.tcp.TcpBootstrap;
    provides io.weir.core.Transport with
            io.weir.transport.local.LocalTransport,
            io.weir.transport.shm.ShmTransport,
            io.weir.transport.tcp.TcpTransport,
            io.weir.transport.verbs.VerbsTransport,
            io.weir.transport.dapl.DaplTransport,
            io.weir.transport.p4sock.P4Transport,
            io.weir.transport.gm.GmTransport,
            io.weir.transport.elan.ElanTransport;
}
