package io.weir.transport.nativelib;

import com.kenai.jffi.MemoryIO;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory that C and we both see, in the order of bytes that this machine has. For adapters that fill in the structures
 * of a library.
 */
public final class Structures {

    private static final int ALIGNMENT = 64;

    /** Of 64 bits, and with the lowest byte first. */
    private static final Set<String> PLATFORMS = Set.of("amd64", "x86_64", "aarch64");

    private Structures() {}

    /** Why what we know of this library's structures does not count here, as a sentence, or null if it does. */
    public static @Nullable String missing(String library) {
        String platform = System.getProperty("os.arch", "");
        return PLATFORMS.contains(platform) ? null : "the structures of " + library + " are not known on " + platform;
    }

    /**
     * New memory, zero, aligned for any structure. It is there as long as the buffer is: who gives its address away
     * keeps the buffer.
     */
    public static ByteBuffer allocate(int bytes) {
        // An aligned slice begins and ends at a multiple, so it may be shorter by almost two.
        return ByteBuffer.allocateDirect(bytes + 2 * ALIGNMENT)
                .alignedSlice(ALIGNMENT)
                .limit(bytes)
                .slice()
                .order(ByteOrder.nativeOrder());
    }

    /** What the library keeps at this address; must not be touched once the library has freed it. */
    public static ByteBuffer at(long address, int bytes) {
        return MemoryIO.getInstance().newDirectByteBuffer(address, bytes).order(ByteOrder.nativeOrder());
    }

    /** Where the memory of a direct buffer begins. */
    public static long address(ByteBuffer memory) {
        return MemoryIO.getInstance().getDirectBufferAddress(memory);
    }
}
