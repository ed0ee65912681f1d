package io.weir.transport.loop;

import io.netty.util.concurrent.FastThreadLocalThread;
import reactor.core.scheduler.NonBlocking;

/** A thread on which Reactor refuses to block, and on which Netty's allocators keep their caches. */
final class LoopThread extends FastThreadLocalThread implements NonBlocking {

    private final NettyLoop loop;

    LoopThread(String name, NettyLoop loop, Runnable body) {
        super(body, name);
        this.loop = loop;
        setDaemon(true);
    }

    NettyLoop loop() {
        return loop;
    }
}
