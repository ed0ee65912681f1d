package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * A look over CBOR before it is parsed, for what takes Jackson's parser longer than its length allows: it copies all
 * tags of a value for every eighth one, and makes a text anew each time that another place refers to it.
 */
final class CborScan {

    /** For one value. Those that have a meaning come alone, or behind the one that says that this is CBOR. */
    private static final int MOST_TAGS = 8;

    private static final int STRING_REFERENCE = 25;
    private static final int STRING_REFERENCES = 256;

    private static final int BYTES = 2;
    private static final int TEXT = 3;
    private static final int TAG = 6;
    private static final int INDEFINITE = 31;

    private CborScan() {}

    /** Why this must not be parsed; null if it may. Takes time in proportion to the length. */
    static @Nullable String objection(byte[] bytes, int from, int length) {
        int end = from + length;
        int tags = 0;
        for (int at = from; at < end; ) {
            int type = (bytes[at] & 0xff) >> 5;
            int low = bytes[at++] & 0x1f;
            long argument = low;
            if (low >= 24 && low != INDEFINITE) {
                int size = 1 << (low - 24);
                if (low > 27 || size > end - at) {
                    return "the head of a value is malformed or cut off";
                }
                argument = number(bytes, at, size);
                at += size;
            }
            if (type == TAG) {
                if (argument == STRING_REFERENCE || argument == STRING_REFERENCES) {
                    return "it refers to strings by number (tags 25 and 256), which is not accepted: write them out";
                }
                if (++tags > MOST_TAGS) {
                    return "a value has more than " + MOST_TAGS + " tags";
                }
                continue;
            }
            tags = 0;
            if ((type == BYTES || type == TEXT) && low != INDEFINITE) {
                if (argument < 0 || argument > end - at) {
                    return "a string of " + Long.toUnsignedString(argument) + " bytes, where " + (end - at)
                            + " are left";
                }
                at += (int) argument;
            }
        }
        return null;
    }

    private static long number(byte[] bytes, int at, int size) {
        long number = 0;
        for (int i = 0; i < size; i++) {
            number = number << 8 | (bytes[at + i] & 0xff);
        }
        return number;
    }
}
