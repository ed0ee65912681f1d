package io.weir.channel;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/** The meters that {@link WeirMetrics} registers. Needs Micrometer on the class path. */
public enum WeirMeters implements MeterDocumentation {

    /** Messages, by {@link Key#DIRECTION}: handed to the path, or to a subscriber. */
    MESSAGES("weir.messages", Meter.Type.COUNTER, BaseUnits.MESSAGES, Key.PEER, Key.PATH, Key.DIRECTION),

    /** Payload bytes of these messages, by {@link Key#DIRECTION}. */
    BYTES("weir.bytes", Meter.Type.COUNTER, BaseUnits.BYTES, Key.PEER, Key.PATH, Key.DIRECTION),

    /** Frames of every kind, by {@link Key#DIRECTION}. Many more than messages: long messages, or credit in small portions. */
    FRAMES("weir.frames", Meter.Type.COUNTER, "frames", Key.PEER, Key.PATH, Key.DIRECTION),

    /** How often a sender had something to send and no credit for it: the other side is the slower one. */
    CREDIT_STALLS("weir.credit.stalls", Meter.Type.COUNTER, "stalls", Key.PEER, Key.PATH),

    /** How often connections have changed their path, counted for the path that they came to. */
    MOVES("weir.moves", Meter.Type.COUNTER, "moves", Key.PEER, Key.PATH),

    /** Bytes that wait now, for room on the path or for a subscriber. */
    QUEUE_BYTES("weir.queue.bytes", Meter.Type.GAUGE, BaseUnits.BYTES, Key.PEER, Key.PATH),

    /** Open channels now. */
    CHANNELS("weir.channels", Meter.Type.GAUGE, "channels", Key.PEER, Key.PATH),

    /** Connected peers now. */
    PEERS("weir.peers", Meter.Type.GAUGE, "peers");

    /** What the meters are told apart by. */
    public enum Key implements KeyName {
        /**
         * The peer's name, which several peers may share: their values are added up. Never its id, which is new with each start.
         */
        PEER("peer"),
        /** The name of the path that was used. */
        PATH("path"),
        /** {@code sent} or {@code received}. */
        DIRECTION("direction");

        private final String text;

        Key(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }

    private final String name;
    private final Meter.Type type;
    private final String unit;

    // Handed out as copies only.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Key[] keys;

    WeirMeters(String name, Meter.Type type, String unit, Key... keys) {
        this.name = name;
        this.type = type;
        this.unit = unit;
        this.keys = keys;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public String getBaseUnit() {
        return unit;
    }

    @Override
    public KeyName[] getKeyNames() {
        return keys.clone();
    }
}
