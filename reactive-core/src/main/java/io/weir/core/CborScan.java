package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * A look over CBOR before it is parsed, for what takes Jackson's parser longer than its length allows: it copies all
 * tags of a value for every eighth one, and makes a text anew each time that another place refers to it. Short values
 * are looked at here only, as there is little that they can do.
 */
final class CborScan {

    /** For one value. Those that have a meaning come alone, or behind the one that says that this is CBOR. */
    private static final int MOST_TAGS = 8;

    private static final int STRING_REFERENCE = 25;
    private static final int STRING_REFERENCES = 256;

    private static final int UNSIGNED = 0;
    private static final int NEGATIVE = 1;
    private static final int BYTES = 2;
    private static final int TEXT = 3;
    private static final int ARRAY = 4;
    private static final int MAP = 5;
    private static final int TAG = 6;
    private static final int INDEFINITE = 31;

    /**
     * Where so few bytes hold no tag, none of {@link CheckedParser}'s limits can be reached: not even if every byte
     * were a level of nesting.
     */
    static final int SHORT = 256;

    private static final int NOT_PLAIN = -1;

    private CborScan() {}

    /**
     * What a value of at most {@link #SHORT} bytes takes at most, as {@link CheckedParser} counts, if it needs no other
     * look: then Jackson may have it as it is. Most values of calls are so short, and a look at each token is felt
     * there.
     *
     * @return the weight in bytes; negative if it has tags, or anything else that is not plain
     */
    static int weightOfPlain(byte[] bytes, int from, int length) {
        int end = from + length;
        int weight = length;
        // A number may be the name of something in a map, which becomes a text.
        int number = CheckedParser.NUMBER;
        for (int at = from; at < end; ) {
            int type = (bytes[at] & 0xff) >> 5;
            int low = bytes[at++] & 0x1f;
            int size = sizeOfArgument(low, end - at);
            if (size < 0) {
                return NOT_PLAIN;
            }
            long argument = size == 0 ? low : number(bytes, at, size);
            at += size;
            switch (type) {
                case UNSIGNED, NEGATIVE -> weight += number;
                case BYTES, TEXT -> {
                    if (low == INDEFINITE || argument < 0 || argument > end - at) {
                        return NOT_PLAIN;
                    }
                    at += (int) argument;
                    weight += CheckedParser.LONGEST_OF_TEXT + (int) argument;
                }
                case ARRAY -> weight += CheckedParser.ARRAY;
                case MAP -> {
                    weight += CheckedParser.OBJECT;
                    number = CheckedParser.NUMBER_AS_NAME;
                }
                case TAG -> {
                    return NOT_PLAIN;
                }
                default -> weight += weightOfSimple(low);
            }
        }
        return weight;
    }

    /** Of what is a floating-point number, a constant, the end of something, or else becomes an object. */
    private static int weightOfSimple(int low) {
        return switch (low) {
            case 20, 21, 22 -> CheckedParser.CONSTANT;
            case 25, 26, 27 -> CheckedParser.NUMBER;
            case INDEFINITE -> 0;
            default -> CheckedParser.STRING;
        };
    }

    /** Why this must not be parsed; null if it may. Takes time in proportion to the length. */
    static @Nullable String objection(byte[] bytes, int from, int length) {
        int end = from + length;
        int tags = 0;
        for (int at = from; at < end; ) {
            int type = (bytes[at] & 0xff) >> 5;
            int low = bytes[at++] & 0x1f;
            int size = sizeOfArgument(low, end - at);
            if (size < 0) {
                return "the head of a value is malformed or cut off";
            }
            long argument = size == 0 ? low : number(bytes, at, size);
            at += size;
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

    /** Bytes of the argument behind the first byte of a head; 0: it is in there; negative: malformed, or cut off. */
    private static int sizeOfArgument(int low, int left) {
        if (low < 24 || low == INDEFINITE) {
            return 0;
        }
        int size = 1 << (low - 24);
        return low > 27 || size > left ? -1 : size;
    }

    private static long number(byte[] bytes, int at, int size) {
        long number = 0;
        for (int i = 0; i < size; i++) {
            number = number << 8 | (bytes[at + i] & 0xff);
        }
        return number;
    }
}
