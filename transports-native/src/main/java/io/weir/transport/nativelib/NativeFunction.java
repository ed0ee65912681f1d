package io.weir.transport.nativelib;

import com.kenai.jffi.CallContext;
import com.kenai.jffi.CallingConvention;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.Type;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A C function of which the address is known, whose parameters and result are pointers and integers of any width: each
 * is passed in 64 bits, as x86-64 and aarch64 do it anyway. The error number is not kept. Allocates nothing.
 * Thread-safe.
 */
public final class NativeFunction {

    private static final Invoker INVOKER = Invoker.getInstance();

    /** By the number of parameters. Cached by jffi for ever, so none is collected under a call. */
    private static final CallContext[] CONTEXTS = new CallContext[10];

    static {
        for (int count = 0; count < CONTEXTS.length; count++) {
            Type[] parameters = new Type[count];
            Arrays.fill(parameters, Type.SLONG_LONG);
            CONTEXTS[count] = CallContext.getCallContext(Type.SLONG_LONG, parameters, CallingConvention.DEFAULT, false);
        }
    }

    private final long address;

    NativeFunction(long address) {
        this.address = address;
    }

    /** Without parameters. */
    public long call() {
        return INVOKER.invokeL0NoErrno(CONTEXTS[0], address);
    }

    /** With one. */
    public long call(long first) {
        return INVOKER.invokeL1NoErrno(CONTEXTS[1], address, first);
    }

    /** With two. */
    public long call(long first, long second) {
        return INVOKER.invokeL2NoErrno(CONTEXTS[2], address, first, second);
    }

    /** With three. */
    public long call(long first, long second, long third) {
        return INVOKER.invokeL3NoErrno(CONTEXTS[3], address, first, second, third);
    }

    /** With four. */
    public long call(long first, long second, long third, long fourth) {
        return INVOKER.invokeL4NoErrno(CONTEXTS[4], address, first, second, third, fourth);
    }

    /** With five. */
    public long call(long first, long second, long third, long fourth, long fifth) {
        return INVOKER.invokeL5NoErrno(CONTEXTS[5], address, first, second, third, fourth, fifth);
    }

    /** With as many as these are. */
    public long call(Arguments arguments) {
        INVOKER.invoke(CONTEXTS[arguments.addresses.length], address, arguments.memoryAddress, arguments.addresses);
        return arguments.memory.getLong(0);
    }

    /** Room for more parameters, used again and again. Not thread-safe. */
    public static final class Arguments {

        /** The result, and the parameters behind it. */
        private final ByteBuffer memory;

        private final long memoryAddress;
        private final long[] addresses;

        /** @param count of them, at most nine */
        public Arguments(int count) {
            memory = Structures.allocate((1 + count) * Long.BYTES);
            memoryAddress = Structures.address(memory);
            addresses = new long[count];
            for (int i = 0; i < count; i++) {
                addresses[i] = memoryAddress + (1L + i) * Long.BYTES;
            }
        }

        /** Sets the parameter at this place, counted from 0. */
        public void set(int place, long value) {
            memory.putLong((1 + place) * Long.BYTES, value);
        }
    }
}
