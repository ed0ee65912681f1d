package io.weir.transport.nativelib;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Closure;
import com.kenai.jffi.ClosureManager;
import com.kenai.jffi.Type;

/**
 * A function that C can call: {@code void f(void *, void *, int)}. What is called must not throw. Stays there until it
 * is closed; the library must not call it later.
 */
public final class NativeCallback implements AutoCloseable {

    private static final CallContext CONTEXT = CallContext.getCallContext(
            Type.VOID, new Type[] {Type.POINTER, Type.POINTER, Type.SINT}, CallingConvention.DEFAULT, false);

    /** What is called, with the function's parameters. */
    public interface Target {

        void call(long first, long second, int third);
    }

    private final Closure.Handle handle;

    public NativeCallback(Target target) {
        handle = ClosureManager.getInstance()
                .newClosure(
                        buffer -> target.call(buffer.getAddress(0), buffer.getAddress(1), buffer.getInt(2)), CONTEXT);
    }

    /** Where the function begins. */
    public long address() {
        return handle.getAddress();
    }

    @Override
    public void close() {
        handle.dispose();
    }
}
