package io.weir.core;

import org.jspecify.annotations.Nullable;

/**
 * The kinds of frame, with their number on the wire and how many 64-bit words follow the header. Numbers never change
 * their meaning; a new kind takes a new number. A kind from {@link #OPTIONAL} upwards that is not known is skipped, any
 * other unknown kind ends the connection.
 */
public enum FrameKind {
    /** First on every connection: magic, versions, who we are. Its form never changes. */
    HELLO(1, 0),
    /** Why we do not go on; body is UTF-8 text. Its form never changes. */
    REFUSE(2, 0),
    /** Host identity and what each transport announces beforehand. */
    CARD(3, 0),
    /**
     * The connecting side's next candidate: its name; aux is the attempt. With aux 0, from the other side when its
     * session has begun: the path that its operator wants, answered by OPENED or FAILED with aux 0 when it is the path
     * or can't be; with flag 1 the path, a blank, and why it can't be used there until the same comes with flag 2 and
     * the path alone.
     */
    PROPOSE(4, 0),
    /** The bytes of one side's pending link; aux is the attempt. */
    OFFER(5, 0),
    /** The link of this attempt is open on this side; aux is the attempt. */
    OPENED(6, 0),
    /**
     * This attempt has failed here; aux is the attempt, body the reason. With flag 1, from the connecting side: the
     * path works, and was opened to be measured.
     */
    FAILED(7, 0),
    /** Sent over the new link itself, answered by PROBED. First word: the nonce, second word: the round. */
    PROBE(8, 2),
    /** Answer to PROBE with the same words. */
    PROBED(9, 2),
    /**
     * The connecting side has decided: the session starts on, or goes on over, this attempt's link; aux is the attempt.
     */
    USE(10, 0),
    /**
     * The last frame of the session over this link from this side, which goes on over the link of attempt aux once it
     * has heard MOVED. First word: how many frames of the session it has sent.
     */
    MOVE(11, 1),
    /** Sent over the new link: everything up to MOVE has arrived; aux is the attempt. */
    MOVED(12, 0),
    /**
     * Sent over a new link after the loss of another. First word: how many frames of the session have arrived; aux is
     * the attempt.
     */
    RESUME(13, 1),
    /**
     * The link of attempt aux is lost. First word: the attempt over whose link the sender's frames go now, -1 if that
     * is the bootstrap connection, 0 if they wait for RESUME; body: the reason. With flag 1 it is the answer to the
     * other side's.
     */
    LOST(14, 1),
    /**
     * What the two ends of a link have between themselves when one of them keeps what it sends ({@link Link#retain}):
     * never offered to a link, nor delivered by one. First word: 0 asks the other end to tell from here on; else how
     * many frames, those of this kind left out, that end has delivered since it was asked.
     */
    ACK(15, 1),

    /** The node leaves of its own will; body is the reason. */
    GOODBYE(16, 0),
    /**
     * Sent to a peer that has been silent, or to know that it has had what was sent before; answered by PONG with the
     * same aux. With flag 1: the sender is going to leave, and nothing more should be begun there.
     */
    PING(17, 0),
    /** Answer to PING: any other frame would say as much. */
    PONG(18, 0),
    /**
     * Over a connection that takes the place of a lost bootstrap connection, after the PROOFs: the session goes on.
     * First word: the number that both have given the session; aux: the attempt over whose link it goes in both
     * directions meanwhile, 0 if there is none.
     */
    REJOIN(20, 1),

    /**
     * Between HELLO and CARD: that the sender has the key of its id, and knows the secret where one is shared; body: a
     * message of the key exchange.
     */
    PROOF(19, 0),

    /** Opens a channel. Words: initial credit in items and in bytes; control: flags; body: the port's name. */
    OPEN(32, 2),
    /** The other side serves the port. Words: initial credit in items and in bytes. */
    ACCEPT(33, 2),
    /** One whole message: control data and payload. aux is the request number, or zero. */
    DATA(34, 0),
    /** The first piece of a long message. First word: the payload's whole length. aux as in DATA. */
    FIRST(35, 1),
    /** A further piece of the message begun by FIRST on this channel. */
    NEXT(36, 0),
    /** This half has ended. */
    END(37, 0),
    /** The receiver wants no more on this half. */
    CANCEL(38, 0),
    /** Both halves have ended with an error; aux is its {@link ErrorCode}, body its text. */
    ERROR(39, 0),
    /** More credit. Words: items, bytes. */
    CREDIT(40, 2),
    /** The sender needs this many bytes of credit for its next message. First word: bytes. */
    WANT(41, 1),
    /** Everything up to the end of this half has been delivered to the subscriber. */
    DELIVERED(42, 0),
    /** The asker has lost interest in request aux. */
    ABORT(43, 0);

    /** Unknown kinds from this number upwards may be skipped. */
    public static final int OPTIONAL = 128;

    private static final @Nullable FrameKind[] BY_CODE = new @Nullable FrameKind[256];

    static {
        for (FrameKind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
    }

    private final int code;
    private final int words;

    FrameKind(int code, int words) {
        this.code = code;
        this.words = words;
    }

    /** The number on the wire, 1 to 255. */
    public int code() {
        return code;
    }

    /** How many 64-bit words stand between the header and the control data: 0, 1 or 2. */
    public int words() {
        return words;
    }

    /** The kind with this number, or null when this version does not know it. */
    public static @Nullable FrameKind of(int code) {
        return BY_CODE[code & 0xff];
    }
}
