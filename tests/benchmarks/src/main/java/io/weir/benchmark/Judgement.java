package io.weir.benchmark;

import org.jspecify.annotations.Nullable;

/**
 * A bar and what came of it.
 *
 * @param what was measured, in words
 * @param entrant which of ours
 * @param size of the messages, in words
 * @param goal in words
 * @param ours what ours reached, with its unit; a dash if it was not measured
 * @param theirs what the peer reached; empty where there is none
 * @param ratio ours over the peer's, or over the limit; null if it was not measured
 * @param sound whether all had rounds that count
 */
record Judgement(
        String what,
        String entrant,
        String size,
        String goal,
        String ours,
        String theirs,
        @Nullable Double ratio,
        boolean sound,
        Verdict verdict) {

    /** The verdict and what speaks against relying on it. */
    String conclusion() {
        return verdict + (sound || verdict == Verdict.NOT_MEASURED ? "" : ", no quiet round");
    }
}
