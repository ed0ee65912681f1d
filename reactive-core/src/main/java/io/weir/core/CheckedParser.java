package io.weir.core;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamReadCapability;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.sym.PropertyNameMatcher;
import tools.jackson.core.util.JsonParserDelegate;

/**
 * Refuses what would take much more time or memory than its length allows, and counts the memory of the values. It
 * looks at each token before anybody makes a value of it, in all formats, and whatever the limits of the mapper are.
 */
final class CheckedParser extends JsonParserDelegate {

    /**
     * Jackson keeps names for as long as the program runs, 6000 at a time. Numbers as keys take time by the square of
     * this.
     */
    static final int LONGEST_NAME = 4096;
    /** Of a decimal number, which may be read as an integer with as many digits. */
    static final int LARGEST_EXPONENT = 500;

    /** Of a text that reads as a number: who makes one of it takes time by the square of this. */
    static final int MOST_DIGITS_OF_TEXT = 10_000;

    private static final long FREE_CONTAINERS = 1L << 16;
    private static final long FREE_WORK = 1L << 16;

    // What values take at most, if they are those that Jackson makes where no class is named: maps, lists, trees, boxed
    // numbers. Classes of
    // the program's take about as much, unless they have many fields.
    static final int OBJECT = 160;
    static final int ARRAY = 100;
    private static final int PROPERTY = 40;
    /** A name that was not there before, beside its characters. */
    private static final int NAME = 56;
    /** Beside its characters, which count with the length of the whole. */
    static final int STRING = 64;

    static final int NUMBER = 40;
    static final int CONSTANT = 12;

    /** Of a text, beside its characters, be it a name or a value. */
    static final int LONGEST_OF_TEXT = PROPERTY + NAME;

    /** Of a number that is a name, with a sign and 20 digits at most. */
    static final int NUMBER_AS_NAME = PROPERTY + NAME + 21;

    /** In bytes: what is shorter is soon read, and its text gone. */
    private static final int LONG = 64 << 10;

    /** As characters of two bytes, in pieces, as one piece, and with room for more. */
    private static final int FORMS = 4;

    /** Is counted at once, so that a token costs one addition. */
    private static final int PORTION = 4096;

    /** Names that are compared with the ones before; a power of 2. */
    private static final int KNOWN_NAMES = 64;

    /** There are hardly more in a short value, for which a table would cost more than it saves. */
    private static final int FIRST_NAMES = 16;

    private final ValueMemory memory;
    private long uncounted;
    private @Nullable Overloaded refused;
    private int names;
    private String @Nullable [] known;

    private final long mostContainers;
    private final long mostWork;
    private final boolean binary;
    /** No text of a short value is looked at. */
    private final boolean mayHaveLongText;

    private long containers;
    /** Steps, if each level of nesting copies what is in it, as classes do whose type stands behind their values. */
    private long work;

    /**
     * @param length bytes that are parsed
     * @param memory for the values
     */
    CheckedParser(JsonParser parser, int length, ValueMemory memory) {
        super(parser);
        this.memory = memory;
        // Where it is one long text, it is there in several forms while it is read.
        uncounted = length <= LONG ? length : (long) length * (1 + FORMS);
        // One of one byte becomes an object of a hundred. Honest ones are longer, unless there are few.
        mostContainers = FREE_CONTAINERS + length / 4;
        mostWork = FREE_WORK + 16L * length;
        mayHaveLongText = length > MOST_DIGITS_OF_TEXT;
        binary = parser.streamReadCapabilities().isEnabled(StreamReadCapability.EXACT_FLOATS);
    }

    @Override
    public @Nullable JsonToken nextToken() {
        JsonToken token = delegate.nextToken();
        check(token);
        return token;
    }

    @Override
    public @Nullable JsonToken nextValue() {
        JsonToken token = nextToken();
        return token == JsonToken.PROPERTY_NAME ? nextToken() : token;
    }

    @Override
    public @Nullable String nextName() {
        String name = delegate.nextName();
        check(delegate.currentToken());
        return name;
    }

    @Override
    public boolean nextName(SerializableString expected) {
        boolean found = delegate.nextName(expected);
        check(delegate.currentToken());
        return found;
    }

    @Override
    public int nextNameMatch(PropertyNameMatcher matcher) {
        int match = delegate.nextNameMatch(matcher);
        check(delegate.currentToken());
        return match;
    }

    /** What is skipped is parsed as well, and its names are kept. */
    @Override
    public JsonParser skipChildren() {
        JsonToken token = delegate.currentToken();
        int open = token != null && token.isStructStart() ? 1 : 0;
        while (open > 0) {
            token = nextToken();
            if (token == null) {
                // The parser reports an end within something.
                break;
            }
            open += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
        return this;
    }

    /** Counts what has not been counted yet. */
    void count() {
        long bytes = uncounted;
        uncounted = 0;
        try {
            memory.use(bytes);
        } catch (Overloaded e) {
            refused = e;
            throw e;
        }
    }

    /** Throws why there was no memory, if there was none. */
    void rethrowRefusal() {
        if (refused != null) {
            throw refused;
        }
    }

    private void check(@Nullable JsonToken token) {
        if (token == null) {
            return;
        }
        uncounted += sizeOf(token);
        if (uncounted >= PORTION) {
            count();
        }
        work += delegate.streamReadContext().getNestingDepth();
        if (work > mostWork) {
            throw refusal("too much is nested too deeply for its length");
        }
        switch (token) {
            case START_OBJECT, START_ARRAY -> checkContainer();
            case PROPERTY_NAME -> checkName(delegate.currentName());
            case VALUE_NUMBER_FLOAT -> checkExponent();
            case VALUE_STRING -> checkText();
            default -> {
                // Its length is the limit.
            }
        }
    }

    private int sizeOf(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> OBJECT;
            case START_ARRAY -> ARRAY;
            case PROPERTY_NAME -> PROPERTY + sizeOfName(delegate.currentName());
            case VALUE_STRING, VALUE_EMBEDDED_OBJECT -> STRING;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> NUMBER;
            case VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> CONSTANT;
            default -> 0;
        };
    }

    /** Parsers yield the same text for the same name, so that records of one kind share theirs. */
    @SuppressWarnings("ReferenceEquality")
    private int sizeOfName(String name) {
        if (++names > FIRST_NAMES) {
            if (known == null) {
                known = new String[KNOWN_NAMES];
            }
            int place = name.hashCode() & (KNOWN_NAMES - 1);
            if (known[place] == name) {
                return 0;
            }
            known[place] = name;
        }
        return NAME + name.length();
    }

    private void checkContainer() {
        if (++containers > mostContainers) {
            throw refusal("more than " + mostContainers + " lists and objects are too many for its length");
        }
    }

    private static void checkName(String name) {
        if (name.length() > LONGEST_NAME) {
            throw refusal("a name has " + name.length() + " characters, and may have " + LONGEST_NAME);
        }
    }

    /** Times are read from texts of digits, for example, and no limit of the mapper holds there. */
    private void checkText() {
        if (mayHaveLongText && delegate.getStringLength() > MOST_DIGITS_OF_TEXT && readsAsNumber()) {
            throw refusal("a text that reads as a number has " + delegate.getStringLength()
                    + " characters, and may have " + MOST_DIGITS_OF_TEXT);
        }
    }

    private boolean readsAsNumber() {
        char[] text = delegate.getStringCharacters();
        int end = delegate.getStringOffset() + delegate.getStringLength();
        for (int i = delegate.getStringOffset(); i < end; i++) {
            if ((text[i] < '0' || text[i] > '9') && "+-. eE\t\r\n".indexOf(text[i]) < 0) {
                return false;
            }
        }
        return true;
    }

    private void checkExponent() {
        if (binary ? isLargeDecimal() : isLargeText()) {
            throw refusal("the exponent of a number is beyond " + LARGEST_EXPONENT);
        }
    }

    /** As many digits as it brings itself are no harm. */
    private boolean isLargeDecimal() {
        if (delegate.getNumberType() != NumberType.BIG_DECIMAL) {
            return false;
        }
        BigDecimal value = delegate.getDecimalValue();
        return Math.abs((long) value.scale())
                > LARGEST_EXPONENT + value.unscaledValue().bitLength() / 3;
    }

    private boolean isLargeText() {
        char[] text = delegate.getStringCharacters();
        int end = delegate.getStringOffset() + delegate.getStringLength();
        for (int i = delegate.getStringOffset(); i < end; i++) {
            if ((text[i] | 0x20) == 'e') {
                return isLarge(text, i + 1, end);
            }
        }
        return false;
    }

    private static boolean isLarge(char[] text, int from, int end) {
        int exponent = 0;
        for (int i = from; i < end && exponent <= LARGEST_EXPONENT; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                exponent = exponent * 10 + text[i] - '0';
            }
        }
        return exponent > LARGEST_EXPONENT;
    }

    private static StreamConstraintsException refusal(String why) {
        return new StreamConstraintsException(why);
    }
}
