package io.weir.benchmark;

/** Whether a bar is held. */
enum Verdict {
    MET("met"),
    WITHIN_TWO("within a factor of two"),
    MISSED("missed"),
    NOT_MEASURED("not measured");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    /** @param shortfall 1 where the bar is just held, more where it is not */
    static Verdict of(double shortfall) {
        if (shortfall <= 1) {
            return MET;
        }
        return shortfall <= 2 ? WITHIN_TWO : MISSED;
    }

    @Override
    public String toString() {
        return words;
    }
}
