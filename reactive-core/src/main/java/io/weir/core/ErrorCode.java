package io.weir.core;

/**
 * What went wrong on the other side, as it crosses the wire in an ERROR frame or a failed answer. The number is stable;
 * an unknown number is read as {@link #FAILED}.
 */
public enum ErrorCode {
    /** The peer's own code failed. */
    FAILED(1),
    /** Nobody serves the port. */
    NO_SUCH_PORT(2),
    /** The port does not let this connection in. */
    REFUSED(3),
    /** A bound of the peer is reached; a later try may succeed. */
    OVERLOADED(4),
    /** A message is longer than the peer accepts. */
    TOO_LARGE(5),
    /** A rule of the protocol was broken. */
    PROTOCOL(6),
    /** The path of this connection is not among those that the port allows. */
    PATH_REQUIRED(7);

    private static final ErrorCode[] VALUES = values();

    private final int code;

    ErrorCode(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** The code with this number, or {@link #FAILED}. */
    public static ErrorCode of(int code) {
        for (ErrorCode value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        return FAILED;
    }
}
