package io.weir.transport.nativelib;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Type;

/**
 * A C function of which only the address is known, as it stands in a table of a library. It takes pointers and numbers
 * of 64 bits at most, and returns an {@code int}. The error number is not kept, which makes a call a third cheaper: for
 * functions that return theirs. Thread-safe.
 */
public final class FunctionPointer {

    private static final Invoker INVOKER = Invoker.getInstance();

    /** Cached by jffi for ever, so it is never collected under a call. */
    private static final CallContext TWO = context(Type.POINTER, Type.SINT);

    private static final CallContext THREE = context(Type.POINTER, Type.POINTER, Type.POINTER);
    private static final CallContext POINTER_INT_POINTER = context(Type.POINTER, Type.SINT, Type.POINTER);

    private final long address;

    /** @param address where the function begins; calling anything else ends the process */
    public FunctionPointer(long address) {
        if (address == 0) {
            throw new IllegalArgumentException("a function without an address");
        }
        this.address = address;
    }

    /** Calls {@code int f(void *, int)}. */
    public int call(long pointer, int number) {
        return (int) INVOKER.invokeL2NoErrno(TWO, address, pointer, number);
    }

    /** Calls {@code int f(void *, void *, void *)}. */
    public int call(long first, long second, long third) {
        return (int) INVOKER.invokeL3NoErrno(THREE, address, first, second, third);
    }

    /** Calls {@code int f(void *, int, void *)}. */
    public int call(long first, int number, long last) {
        return (int) INVOKER.invokeL3NoErrno(POINTER_INT_POINTER, address, first, number, last);
    }

    private static CallContext context(Type... parameters) {
        return CallContext.getCallContext(Type.SINT, parameters, CallingConvention.DEFAULT, false);
    }
}
