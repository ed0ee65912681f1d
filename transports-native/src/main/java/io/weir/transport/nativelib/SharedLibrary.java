package io.weir.transport.nativelib;

import com.kenai.jffi.Library;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A library whose functions are looked up one by one, since not every release has all of them. Stays loaded as long as
 * the process. Thread-safe.
 */
public final class SharedLibrary {

    private final String name;
    private final Library library;

    private SharedLibrary(String name, Library library) {
        this.name = name;
        this.library = library;
    }

    /**
     * Loads the first one of these that there is: names as the system looks for them, or paths. May take milliseconds:
     * never on a loop.
     *
     * @throws NativeFailure with what the system has said of each
     */
    public static SharedLibrary load(List<String> names) throws NativeFailure {
        // Of those that are there.
        List<String> reasons = new ArrayList<>();
        for (String name : names) {
            Library library = Library.getCachedInstance(name, Library.NOW | Library.LOCAL);
            if (library != null) {
                return new SharedLibrary(name, library);
            }
            String reason = String.valueOf(Library.getLastError());
            boolean aboutIt = reason.startsWith(name + ":");
            // Otherwise it is there, and something that it needs is not.
            if (!aboutIt || !reason.contains("No such file")) {
                reasons.add(aboutIt ? reason : name + ": " + reason);
            }
        }
        throw new NativeFailure(
                reasons.isEmpty() ? "there is no " + String.join(", nor ", names) : String.join("; ", reasons), 0);
    }

    /** By which it was found. */
    public String name() {
        return name;
    }

    /** Where a function or a variable begins; 0 if there is none of this name. */
    public long find(String symbol) {
        return library.getSymbolAddress(symbol);
    }

    /**
     * A function that there has to be.
     *
     * @throws NativeFailure if there is none
     */
    public NativeFunction function(String symbol) throws NativeFailure {
        NativeFunction function = optional(symbol);
        if (function == null) {
            throw new NativeFailure(name + " has no function " + symbol, 0);
        }
        return function;
    }

    /** A function that not every release has; null if this one has not. */
    public @Nullable NativeFunction optional(String symbol) {
        long address = find(symbol);
        return address == 0 ? null : new NativeFunction(address);
    }
}
