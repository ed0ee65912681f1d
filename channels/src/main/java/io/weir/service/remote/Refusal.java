package io.weir.service.remote;

/** Why a call was not done, to be answered in place of what it yields: see {@link CallLayout}. Stays on its side. */
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int outcome;

    Refusal(int outcome, String text) {
        super(text, null, false, false);
        this.outcome = outcome;
    }

    int outcome() {
        return outcome;
    }
}
