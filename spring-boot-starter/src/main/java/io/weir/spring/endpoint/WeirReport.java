package io.weir.spring.endpoint;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a node, as its endpoint shows it. What is null is left out in JSON. Times are nanoseconds where the
 * name says so, else instants. Counters only grow as long as a peer stays connected: rates are differences between two
 * reports. Lists are cut at {@link #LONGEST}, with the whole number beside them. What others have chosen is bounded
 * text without control characters.
 *
 * @param format the version of this shape: fields may be added to it, and none is changed or taken away
 * @param at when this was seen
 * @param node the node; null if it is not there yet
 * @param peers the peers that the configuration names, by name
 * @param connections the peers that are connected
 * @param connected how many these are
 * @param services what the node serves
 * @param serving how many these are
 * @param members the nodes that the directory knows
 * @param known how many these are
 * @param joined who speaks through this node, if it is a gateway
 */
@JsonInclude(Include.NON_NULL)
public record WeirReport(
        int format,
        Instant at,
        @Nullable NodeReport node,
        List<PeerReport> peers,
        List<ConnectionReport> connections,
        int connected,
        List<ServiceReport> services,
        int serving,
        List<MemberReport> members,
        int known,
        List<JoinedReport> joined) {

    /** The version of the shape. */
    public static final int FORMAT = 1;

    /** Entries of a list. */
    public static final int LONGEST = 256;

    /**
     * The node.
     *
     * @param id who it is, as it stands in logs
     * @param name its name
     * @param addresses where it listens
     * @param since when it has begun
     * @param waiting what its loops do with nothing to do: latency, balanced or frugal
     * @param order the paths that it uses, best first
     * @param loops how many threads own connections
     * @param loopStalls how often one of these was kept from its work for 10 ms or more
     * @param loopWakeUps how often these have slept until something woke them
     * @param lentBytes bytes lent to messages longer than their window
     * @param lendableBytes how many may be lent
     */
    public record NodeReport(
            String id,
            String name,
            List<String> addresses,
            Instant since,
            String waiting,
            List<String> order,
            int loops,
            long loopStalls,
            long loopWakeUps,
            long lentBytes,
            long lendableBytes) {}

    /**
     * A peer that the configuration names.
     *
     * @param name its name there
     * @param optional whether the application is healthy without it
     * @param state connected, connecting, away, directory (it has no address), or starting (the node is not there yet)
     * @param address where it is tried
     * @param service the service that is called there where no other is named
     * @param instances how many instances of this the directory knows
     * @param since since when there is a connection, or is none
     * @param lastFailure why the last try failed or the last connection ended
     * @param nextTry when it is tried again by itself
     * @param connection the id of the connection
     */
    @JsonInclude(Include.NON_NULL)
    public record PeerReport(
            String name,
            boolean optional,
            String state,
            @Nullable String address,
            @Nullable String service,
            @Nullable Integer instances,
            @Nullable Instant since,
            @Nullable String lastFailure,
            @Nullable Instant nextTry,
            @Nullable String connection) {}

    /**
     * A connected peer.
     *
     * @param id who it is, as it stands in logs
     * @param uuid by which it is asked for
     * @param name its name, as it says
     * @param since when it was connected
     * @param principal the name in its certificate; null if it has shown none
     * @param path how the path to it was decided
     * @param history the decisions before this one, the latest first
     * @param sent what has gone to it
     * @param received what has come from it
     * @param creditStalls how often a sender here had to wait for credit
     * @param creditStallNanos how long they have waited, each by itself
     * @param creditMessages messages that may be sent now
     * @param creditBytes bytes of these
     * @param demand messages that subscribers here have asked for and not had yet
     * @param queuedMessages messages that wait here now
     * @param queuedBytes bytes of these
     * @param moves how often the path was changed
     * @param wakeUps signals that were needed to wake the peer
     * @param rejectedFrames frames that were dropped, as they were not the peer's or were damaged
     * @param openChannels channels now
     * @param roundTrips those of about the last minute
     * @param allRoundTrips those since it is connected
     * @param channels the channels; only where one peer is asked for, and null if its loop did not answer in time
     */
    @JsonInclude(Include.NON_NULL)
    public record ConnectionReport(
            String id,
            UUID uuid,
            String name,
            Instant since,
            @Nullable String principal,
            PathReport path,
            List<PathReport> history,
            Traffic sent,
            Traffic received,
            long creditStalls,
            long creditStallNanos,
            long creditMessages,
            long creditBytes,
            long demand,
            long queuedMessages,
            long queuedBytes,
            long moves,
            long wakeUps,
            long rejectedFrames,
            long openChannels,
            RoundTripReport roundTrips,
            RoundTripReport allRoundTrips,
            @Nullable List<ChannelReport> channels) {}

    /** Counters of one direction. */
    public record Traffic(long messages, long bytes, long frames) {}

    /**
     * How a path was decided.
     *
     * @param chosen the path; null if none could be used
     * @param when when it was decided
     * @param cause why the path was changed; null for the first one
     * @param attempts every path, best first
     * @param warnings what an operator should look at
     */
    @JsonInclude(Include.NON_NULL)
    public record PathReport(
            @Nullable String chosen,
            Instant when,
            @Nullable String cause,
            List<AttemptReport> attempts,
            List<String> warnings) {}

    /**
     * What became of a path.
     *
     * @param path its name
     * @param outcome chosen, failed, measured, rejected or not-tried
     * @param reason why; for the chosen one the way through gateways; null if there is none
     * @param tookNanos how long the try took
     * @param roundTripNanos measured while trying it; null if it was not
     */
    @JsonInclude(Include.NON_NULL)
    public record AttemptReport(
            String path,
            String outcome,
            @Nullable String reason,
            long tookNanos,
            @Nullable Long roundTripNanos) {}

    /** Percentiles of a sample; all but the count are null in an empty one. */
    @JsonInclude(Include.NON_NULL)
    public record RoundTripReport(
            long count,
            @Nullable Long p50Nanos,
            @Nullable Long p90Nanos,
            @Nullable Long p99Nanos,
            @Nullable Long maxNanos) {}

    /**
     * A channel.
     *
     * @param number its number in the connection
     * @param port to which it was opened
     * @param openedHere whether this node has opened it
     * @param demand messages that the subscriber here has asked for and not had yet; null if it wants everything
     * @param creditMessages messages that may be sent now
     * @param creditBytes bytes of these
     * @param queuedOut messages that wait to be sent
     * @param queuedBytesOut bytes of these
     * @param queuedIn messages that wait for the subscriber
     * @param queuedBytesIn bytes of these
     * @param sending whether more may be sent
     * @param receiving whether more may come
     */
    @JsonInclude(Include.NON_NULL)
    public record ChannelReport(
            long number,
            String port,
            boolean openedHere,
            @Nullable Long demand,
            long creditMessages,
            long creditBytes,
            int queuedOut,
            long queuedBytesOut,
            int queuedIn,
            long queuedBytesIn,
            boolean sending,
            boolean receiving) {}

    /** What the node serves, and over which paths; none: all. */
    public record ServiceReport(
            String service, String port, boolean password, List<String> paths, Map<String, String> attributes) {}

    /** A node that the directory knows. */
    public record MemberReport(String id, String host, List<String> addresses, Instant since) {}

    /**
     * Two that speak through this node.
     *
     * @param client who has asked for it
     * @param clientPath the path to it
     * @param target where it was led to
     * @param targetPath the path to it
     * @param bytesToTarget bytes that have gone there
     * @param bytesToClient bytes that have come back
     * @param since when they were joined
     */
    public record JoinedReport(
            String client,
            String clientPath,
            String target,
            String targetPath,
            long bytesToTarget,
            long bytesToClient,
            Instant since) {}

    /**
     * One peer: as the configuration names it, or connected, or both.
     *
     * @param format as of the whole report
     * @param at when this was seen
     * @param peer what the configuration names; null if it does not
     * @param connection the connection, with its channels; null if there is none
     */
    @JsonInclude(Include.NON_NULL)
    public record OnePeer(
            int format,
            Instant at,
            @Nullable PeerReport peer,
            @Nullable ConnectionReport connection) {}
}
