package io.weir.transport.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

/**
 * Lets others have the loop while its thread sleeps for events, and takes it back before they are handled. Of the
 * questions that Netty asks, whether handling is to be timed is the one that comes between the two.
 */
final class LendingHandler implements IoHandler {

    private final IoHandler handler;
    private final Owner owner;

    LendingHandler(IoHandler handler, Owner owner) {
        this.handler = handler;
        this.owner = owner;
    }

    @Override
    public int run(IoHandlerContext context) {
        if (!context.canBlock()) {
            return handler.run(context);
        }
        owner.lend();
        try {
            return handler.run(new Sleep(context));
        } finally {
            owner.takeBack();
        }
    }

    private final class Sleep implements IoHandlerContext {

        private final IoHandlerContext context;

        Sleep(IoHandlerContext context) {
            this.context = context;
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            owner.takeBack();
            return context.shouldReportActiveIoTime();
        }

        @Override
        public void reportActiveIoTime(long nanos) {
            context.reportActiveIoTime(nanos);
        }

        @Override
        public boolean canBlock() {
            return context.canBlock();
        }

        @Override
        public long delayNanos(long now) {
            return context.delayNanos(now);
        }

        @Override
        public long deadlineNanos() {
            return context.deadlineNanos();
        }
    }

    @Override
    public void initialize() {
        handler.initialize();
    }

    @Override
    public void prepareToDestroy() {
        handler.prepareToDestroy();
    }

    @Override
    public void destroy() {
        handler.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return handler.isCompatible(type);
    }

    @Override
    public void wakeup() {
        handler.wakeup();
    }
}
