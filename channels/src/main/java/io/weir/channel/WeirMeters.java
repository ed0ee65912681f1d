package io.weir.channel;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.weir.memory.MemoryUse;
import io.weir.peer.Arrival;

/** The meters that {@link WeirMetrics} registers. Needs Micrometer on the class path. */
public enum WeirMeters implements MeterDocumentation {

    /** Messages, by {@link Key#DIRECTION}: handed to the path, or to a subscriber. */
    MESSAGES("weir.messages", Meter.Type.COUNTER, BaseUnits.MESSAGES, Key.PEER, Key.PATH, Key.DIRECTION),

    /** Payload bytes of these messages, by {@link Key#DIRECTION}. */
    BYTES("weir.bytes", Meter.Type.COUNTER, BaseUnits.BYTES, Key.PEER, Key.PATH, Key.DIRECTION),

    /**
     * Frames of every kind, by {@link Key#DIRECTION}. Many more than messages: long messages, or credit in small
     * portions.
     */
    FRAMES("weir.frames", Meter.Type.COUNTER, "frames", Key.PEER, Key.PATH, Key.DIRECTION),

    /**
     * How often a sender had to wait for credit, with something to send or a source to ask: the other side is the
     * slower one.
     */
    CREDIT_STALLS("weir.credit.stalls", Meter.Type.COUNTER, "stalls", Key.PEER, Key.PATH),

    /** How long senders have waited for credit, those that still do included. Two that wait for a second make two. */
    CREDIT_STALL_TIME("weir.credit.stall.time", Meter.Type.COUNTER, "seconds", Key.PEER, Key.PATH),

    /** Messages that may still be sent now, over all open channels. */
    CREDIT_MESSAGES("weir.credit.messages", Meter.Type.GAUGE, BaseUnits.MESSAGES, Key.PEER, Key.PATH),

    /** Bytes that these may have. */
    CREDIT_BYTES("weir.credit.bytes", Meter.Type.GAUGE, BaseUnits.BYTES, Key.PEER, Key.PATH),

    /**
     * Messages that subscribers here have asked for and not had yet; one that wants everything counts for
     * {@code weir.window.items}. 0: nobody here asks, so this side is the slower one.
     */
    DEMAND("weir.demand", Meter.Type.GAUGE, BaseUnits.MESSAGES, Key.PEER, Key.PATH),

    /** How often connections have changed their path, counted for the path that they came to. */
    MOVES("weir.moves", Meter.Type.COUNTER, "moves", Key.PEER, Key.PATH),

    /** How often the peer's sleeping loop had to be woken by a signal of its own, which costs a system call. */
    WAKE_UPS("weir.wakeups", Meter.Type.COUNTER, "wakeups", Key.PEER, Key.PATH),

    /**
     * Frames that came for a connection and were dropped, because they were made up, damaged on their way, or of a time
     * gone by.
     */
    FRAMES_REJECTED("weir.frames.rejected", Meter.Type.COUNTER, "frames", Key.PEER, Key.PATH),

    /** Messages that wait now, for credit, for room on the path, or for a subscriber. */
    QUEUE_MESSAGES("weir.queue.messages", Meter.Type.GAUGE, BaseUnits.MESSAGES, Key.PEER, Key.PATH),

    /** Bytes of these. */
    QUEUE_BYTES("weir.queue.bytes", Meter.Type.GAUGE, BaseUnits.BYTES, Key.PEER, Key.PATH),

    /**
     * How long the peer took to answer in about the last minute, by {@link Key#QUANTILE}: a sample of the requests, and
     * the questions of {@code weir.keepalive.interval}. Not a number when there were none.
     */
    ROUND_TRIP("weir.roundtrip", Meter.Type.GAUGE, "seconds", Key.PEER, Key.PATH, Key.QUANTILE),

    /** Open channels now. */
    CHANNELS("weir.channels", Meter.Type.GAUGE, "channels", Key.PEER, Key.PATH),

    /** Connected peers now. */
    PEERS("weir.peers", Meter.Type.GAUGE, "peers"),

    /** How often a loop of the node was kept from its work for 10 ms or more. */
    LOOP_STALLS("weir.loop.stalls", Meter.Type.COUNTER, "stalls"),

    /** How often the loops of the node have slept until something woke them. */
    LOOP_WAKE_UPS("weir.loop.wakeups", Meter.Type.COUNTER, "wakeups"),

    /** Connections that others have made to the node, by {@link Key#OUTCOME}. */
    ARRIVALS("weir.arrivals", Meter.Type.COUNTER, "connections", Key.OUTCOME),

    /** What the node may keep on behalf of its peers, or promise them ({@code weir.memory.max}). */
    MEMORY_MAX("weir.memory.max", Meter.Type.GAUGE, BaseUnits.BYTES),

    /** What is taken of that. */
    MEMORY_USED("weir.memory.used", Meter.Type.GAUGE, BaseUnits.BYTES),

    /** The same by {@link Key#USE}; what is set aside for each peer and not used is in none of these. */
    MEMORY_USES("weir.memory.uses", Meter.Type.GAUGE, BaseUnits.BYTES, Key.USE);

    /** The tags that distinguish the meters. */
    public enum Key implements KeyName {
        /**
         * The peer's name, which several peers may share: their values are added up. Never its id, which is new with
         * each start.
         */
        PEER("peer"),
        /** The name of the path that was used. */
        PATH("path"),
        /** {@code sent} or {@code received}. */
        DIRECTION("direction"),
        /** A {@link MemoryUse}, in lower case and with hyphens. */
        USE("use"),
        /** An {@link Arrival.Outcome}, in lower case and with hyphens. */
        OUTCOME("outcome"),
        /** {@code 0.5} or {@code 0.99}. */
        QUANTILE("quantile");

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
