package io.weir.core;

/** What somebody else has written, such as a peer, made fit for a log, an error and a page. */
public final class ForeignText {

    /** Characters that are shown of what should be short: enough for any honest reason or name. */
    private static final int BRIEF = 400;

    private ForeignText() {}

    /**
     * The text without what moves a cursor, breaks a line, turns the direction of writing or shows nothing at all: each
     * such character becomes a question mark.
     */
    public static String harmless(String text) {
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            if (!isShown(point)) {
                return replaced(text);
            }
            at += Character.charCount(point);
        }
        return text;
    }

    /** The beginning of the {@link #harmless} text: at most 400 characters, with three dots behind it if it was cut. */
    public static String brief(String text) {
        boolean cut = text.codePointCount(0, text.length()) > BRIEF;
        return harmless(cut ? text.substring(0, text.offsetByCodePoints(0, BRIEF)) + "..." : text);
    }

    private static String replaced(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> shown.appendCodePoint(isShown(point) ? point : '?'));
        return shown.toString();
    }

    private static boolean isShown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
