package io.weir.samples.process;

/** The program can't go on; the message says why, to whoever runs it. */
public final class ProgramFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public ProgramFailed(String message) {
        super(message);
    }

    public ProgramFailed(String message, Throwable cause) {
        super(message, cause);
    }
}
