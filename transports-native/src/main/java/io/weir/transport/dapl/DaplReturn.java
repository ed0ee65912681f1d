package io.weir.transport.dapl;

/** What a call of uDAPL returns: its class, its type and its subtype in one number ({@code <dat2/dat_error.h>}). */
final class DaplReturn {

    static final int SUCCESS = 0;

    static final int INSUFFICIENT_RESOURCES = 3;
    static final int PROTECTION_VIOLATION = 0xc;
    static final int PRIVILEGES_VIOLATION = 0xb;
    static final int QUEUE_EMPTY = 0xd;
    static final int TIMEOUT_EXPIRED = 0xf;
    static final int INTERRUPTED_CALL = 0x13;

    private static final int TYPE = 0x3fff0000;
    private static final int TYPE_SHIFT = 16;

    private static final String[] WORDS = {
        "no error",
        "the connection was ended",
        "the connection qualifier is in use",
        "the adapter or the system has no more for us",
        "an internal error of the provider",
        "a handle that the provider does not know",
        "a parameter that the provider does not take",
        "the wrong state for it",
        "the wrong length",
        "the provider's model does not have it",
        "the registry names no such provider, or its library can't be loaded",
        "the process lacks the privilege",
        "the memory is not ours",
        "nothing has happened",
        "the queue is full",
        "not in time",
        "the provider is registered already",
        "the provider is in use",
        "the address can't be used",
        "the call was interrupted",
        "the connection qualifier can't be had"
    };

    private DaplReturn() {}

    /** What kind of failure it is, without its details. */
    static int type(int result) {
        return (result & TYPE) >>> TYPE_SHIFT;
    }

    /** Says what it means, with the number for whoever reads the provider's source. */
    static String words(int result) {
        int type = type(result);
        String known = type < WORDS.length ? WORDS[type] : null;
        return (known == null ? "an error that we don't know" : known) + " (0x" + Integer.toHexString(result) + ")";
    }

    /** What can be done about it, to be put behind the words; empty if we don't know. */
    static String remedy(int result, String forResources) {
        boolean scarce = switch (type(result)) {
            case INSUFFICIENT_RESOURCES, PRIVILEGES_VIOLATION, PROTECTION_VIOLATION -> true;
            default -> false;
        };
        return scarce ? forResources : "";
    }
}
