package io.weir.spring.endpoint;

import io.weir.channel.ChannelStats;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.channel.PeerState;
import io.weir.channel.PeerStats;
import io.weir.channel.RoundTrips;
import io.weir.core.ForeignText;
import io.weir.core.PeerAddress;
import io.weir.core.SettingText;
import io.weir.peer.PathDecision;
import io.weir.peer.PathDecision.Attempt;
import io.weir.service.Services;
import io.weir.service.directory.Member;
import io.weir.service.directory.ServiceDirectory;
import io.weir.service.directory.ServiceInstance;
import io.weir.service.gateway.JoinedPair;
import io.weir.spring.WeirStatus;
import io.weir.spring.WeirStatus.NamedPeer;
import io.weir.spring.endpoint.WeirReport.AttemptReport;
import io.weir.spring.endpoint.WeirReport.ChannelReport;
import io.weir.spring.endpoint.WeirReport.ConnectionReport;
import io.weir.spring.endpoint.WeirReport.JoinedReport;
import io.weir.spring.endpoint.WeirReport.MemberReport;
import io.weir.spring.endpoint.WeirReport.NodeReport;
import io.weir.spring.endpoint.WeirReport.OnePeer;
import io.weir.spring.endpoint.WeirReport.PathReport;
import io.weir.spring.endpoint.WeirReport.PeerReport;
import io.weir.spring.endpoint.WeirReport.RoundTripReport;
import io.weir.spring.endpoint.WeirReport.ServiceReport;
import io.weir.spring.endpoint.WeirReport.Traffic;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Puts what a node shows into the shape of the report. */
final class Reporter {

    /** Longer than any honest name or reason. */
    private static final int LONGEST_TEXT = 400;

    /** A loop that lives answers in far less. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final WeirStatus status;

    Reporter(WeirStatus status) {
        this.status = status;
    }

    WeirReport all() {
        Optional<Node> node = status.node();
        List<Peer> connected = node.map(Node::connected).orElseGet(List::of);
        List<ServiceInstance> served = status.services().map(Services::served).orElseGet(List::of);
        List<Member> members = status.services()
                .map(Services::directory)
                .map(ServiceDirectory::snapshot)
                .orElseGet(List::of);
        return new WeirReport(
                WeirReport.FORMAT,
                Instant.now(),
                node.map(Reporter::node).orElse(null),
                status.peers().stream().map(Reporter::peer).toList(),
                some(connected).map(peer -> connection(peer, null)).toList(),
                connected.size(),
                some(served).map(Reporter::service).toList(),
                served.size(),
                some(members).map(Reporter::member).toList(),
                members.size(),
                status.gateways().stream()
                        .flatMap(gateway -> gateway.joined().stream())
                        .limit(WeirReport.LONGEST)
                        .map(Reporter::joined)
                        .toList());
    }

    /**
     * The peer that is configured under this name, else the connected one with this UUID; empty if there is neither.
     */
    Mono<OnePeer> one(String name) {
        Optional<NamedPeer> named = named(name);
        Optional<Peer> connected = named.isPresent() ? named.get().connection() : connected(name);
        if (named.isEmpty() && connected.isEmpty()) {
            return Mono.empty();
        }
        PeerReport said = named.map(Reporter::peer).orElse(null);
        return connected
                .map(peer -> channels(peer).map(open -> connection(peer, open.orElse(null))))
                .map(connection -> connection.map(its -> new OnePeer(WeirReport.FORMAT, Instant.now(), said, its)))
                .orElseGet(() -> Mono.just(new OnePeer(WeirReport.FORMAT, Instant.now(), said, null)));
    }

    Optional<NamedPeer> named(String name) {
        return status.peers().stream().filter(peer -> peer.name().equals(name)).findFirst();
    }

    Optional<Peer> connected(String uuid) {
        return status.node().stream()
                .flatMap(node -> node.connected().stream())
                .filter(peer -> peer.id().id().toString().equals(uuid))
                .findFirst();
    }

    private static Mono<Optional<List<ChannelReport>>> channels(Peer peer) {
        return peer.channels()
                .map(all -> Optional.of(some(all).map(Reporter::channel).toList()))
                .timeout(PATIENCE)
                .onErrorReturn(Optional.empty())
                .defaultIfEmpty(Optional.of(List.of()));
    }

    private static <T> Stream<T> some(List<T> all) {
        return all.stream().limit(WeirReport.LONGEST);
    }

    private static NodeReport node(Node node) {
        return new NodeReport(
                text(node.id().toString()),
                text(node.id().name()),
                addresses(node.addresses()),
                node.since(),
                SettingText.word(node.spec().waiting()),
                node.spec().paths().paths(),
                node.spec().loops(),
                node.stalls(),
                node.wakeUps(),
                node.lentBytes(),
                node.spec().memory().nodeBytes());
    }

    private static PeerReport peer(NamedPeer peer) {
        Optional<PeerState> state = peer.state();
        return new PeerReport(
                peer.name(),
                peer.optional(),
                state.map(its -> SettingText.word(its.status())).orElse(peer.hasAddress() ? "starting" : "directory"),
                state.map(its -> its.address().toString()).orElse(null),
                peer.service(),
                peer.instances().isPresent() ? peer.instances().getAsInt() : null,
                state.map(PeerState::since).orElse(null),
                state.flatMap(PeerState::lastFailure).map(Reporter::text).orElse(null),
                state.flatMap(PeerState::nextTry).orElse(null),
                peer.connection().map(its -> text(its.id().toString())).orElse(null));
    }

    private static ConnectionReport connection(Peer peer, @Nullable List<ChannelReport> channels) {
        PeerStats stats = peer.stats();
        List<PathDecision> latestFirst = new ArrayList<>(peer.pathHistory());
        Collections.reverse(latestFirst);
        return new ConnectionReport(
                text(peer.id().toString()),
                peer.id().id(),
                text(peer.id().name()),
                latestFirst.get(latestFirst.size() - 1).when(),
                peer.identity().principal() == null
                        ? null
                        : text(peer.identity().principal()),
                path(latestFirst.get(0)),
                latestFirst.stream().skip(1).map(Reporter::path).toList(),
                new Traffic(stats.messagesSent(), stats.bytesSent(), stats.framesSent()),
                new Traffic(stats.messagesReceived(), stats.bytesReceived(), stats.framesReceived()),
                stats.creditStalls(),
                stats.creditStallTime().toNanos(),
                stats.creditItems(),
                stats.creditBytes(),
                stats.demand(),
                stats.queuedMessages(),
                stats.queuedBytes(),
                stats.moves(),
                stats.wakeUps(),
                stats.rejectedFrames(),
                stats.channels(),
                roundTrips(stats.roundTrips()),
                roundTrips(stats.allRoundTrips()),
                channels);
    }

    private static PathReport path(PathDecision decision) {
        return new PathReport(
                decision.chosen().map(Attempt::path).orElse(null),
                decision.when(),
                decision.cause().isEmpty() ? null : decision.cause(),
                decision.attempts().stream().map(Reporter::attempt).toList(),
                decision.warnings());
    }

    private static AttemptReport attempt(Attempt attempt) {
        Duration roundTrip = attempt.roundTrip();
        return new AttemptReport(
                attempt.path(),
                SettingText.word(attempt.outcome()),
                attempt.reason().isEmpty() ? null : attempt.reason(),
                attempt.took().toNanos(),
                roundTrip == null ? null : roundTrip.toNanos());
    }

    private static RoundTripReport roundTrips(RoundTrips times) {
        return times.count() == 0
                ? new RoundTripReport(0, null, null, null, null)
                : new RoundTripReport(
                        times.count(),
                        times.p50().toNanos(),
                        times.p90().toNanos(),
                        times.p99().toNanos(),
                        times.max().toNanos());
    }

    private static ChannelReport channel(ChannelStats channel) {
        return new ChannelReport(
                channel.number(),
                text(channel.port()),
                channel.openedHere(),
                channel.demand() == Long.MAX_VALUE ? null : channel.demand(),
                channel.creditItems(),
                channel.creditBytes(),
                channel.queuedMessagesOut(),
                channel.queuedBytesOut(),
                channel.queuedMessagesIn(),
                channel.queuedBytesIn(),
                channel.sending(),
                channel.receiving());
    }

    private static ServiceReport service(ServiceInstance served) {
        return new ServiceReport(
                served.service(), served.port(), served.password(), served.paths(), texts(served.attributes()));
    }

    private static Map<String, String> texts(Map<String, String> all) {
        return all.entrySet().stream()
                .limit(WeirReport.LONGEST)
                .collect(Collectors.toMap(
                        entry -> text(entry.getKey()), entry -> text(entry.getValue()), (one, other) -> one));
    }

    private static MemberReport member(Member member) {
        return new MemberReport(
                text(member.id().toString()), text(member.host()), addresses(member.addresses()), member.since());
    }

    private static JoinedReport joined(JoinedPair pair) {
        return new JoinedReport(
                text(pair.client().toString()),
                pair.clientPath(),
                text(pair.target().toString()),
                pair.targetPath(),
                pair.toTarget(),
                pair.toClient(),
                pair.since());
    }

    private static List<String> addresses(List<PeerAddress> all) {
        return some(all).map(address -> text(address.toString())).toList();
    }

    /** What others choose neither floods a report nor moves a cursor or turns the direction of writing in it. */
    private static String text(String any) {
        String some = any.length() > LONGEST_TEXT ? any.substring(0, LONGEST_TEXT) + "..." : any;
        return ForeignText.harmless(some);
    }
}
