package io.weir.spring.autoconfigure;

import io.weir.config.Balance;
import io.weir.config.DirectoryKind;
import io.weir.config.PeerSpec;
import io.weir.config.Repath;
import io.weir.config.Requirement;
import io.weir.core.TlsSpec;
import io.weir.core.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * What {@code application.yml} says of Weir. The names and meanings are those of {@link io.weir.config.NodeSpec},
 * which is read from the same properties by the same rules; what a node has no need of, such as the deadline of a peer,
 * only the starter reads.
 *
 * @param enabled Whether there is a node in this application.
 * @param codec Format of the arguments and results of remote interfaces; both sides must have the same.
 * @param name Name of this node, for people: in logs, decisions and errors; that of the application if there is none,
 *     else that of the host.
 * @param listen Comma-separated list of addresses at which peers connect: tcp://host:port, tcp://[ipv6]:port or
 *     unix:/path; port 0 is any free one.
 * @param advertise Comma-separated list of addresses at which others reach this node, if they differ from where it
 *     listens.
 * @param loops Number of threads that own connections; each peer stays on one of them.
 * @param waiting What such a thread does with nothing to do: take a processor, look for a while and then sleep, or
 *     sleep at once.
 * @param nativeCode Whether native code may be loaded; without it, the paths tcp and local remain.
 * @param runtimeFolder Private folder for sockets between processes of one user on one host.
 * @param transport Order of the paths, the switch of each path, and the options of the paths.
 * @param repath Whether a connection changes its path while it lives.
 * @param repathProbation Time that a connection stays on a lesser path before it tries a better one.
 * @param tls Whether TCP connections are encrypted.
 * @param tlsCertificate Certificate of the node and those between it and its authority, a PEM file.
 * @param tlsKey Key of the certificate, a PEM file with PKCS#8.
 * @param tlsKeyPassword Password of an encrypted key.
 * @param tlsKeyStore Key store with certificate and key, PKCS#12 or JKS.
 * @param tlsKeyStorePassword Password of the key store.
 * @param tlsTrust Certificates of the authorities whose certificates are accepted, a PEM file.
 * @param tlsTrustStore Trust store with these certificates, PKCS#12 or JKS.
 * @param tlsTrustStorePassword Password of the trust store.
 * @param tlsRevocationLists Lists of certificates that their issuers have revoked, a PEM file.
 * @param tlsOcsp Whether the issuer of a peer's certificate is asked if it has revoked it.
 * @param tlsClientAuth Whether who connects has to show a certificate.
 * @param tlsVerifyHost Whether who connects compares the certificate with the host that it connects to.
 * @param tlsProtocols Comma-separated list of the versions of TLS that may be used.
 * @param tlsReload Time after which the files of certificates are looked at again.
 * @param directory Where nodes find each other and what they serve.
 * @param directoryZookeeper How the directory in ZooKeeper is reached.
 * @param ssl SSL bundle of this node.
 * @param peers Peers by name.
 * @param ports Ports of this node by name.
 * @param services Services by name.
 * @param window What of one channel may be under way.
 * @param message Limits of a message.
 * @param node Limits of the node.
 * @param mailbox Limits of a mailbox.
 * @param max Limits of numbers.
 * @param security Who may be a peer.
 * @param gateway Connections through gateways.
 * @param timeout Time limits.
 * @param keepalive How a peer is found to be dead that says nothing.
 * @param memory What is kept on behalf of peers.
 * @param resume What is kept so that it can be sent again.
 * @param observation What is observed of calls.
 * @param discovery Spring Cloud as the directory.
 * @param page The page over the endpoint.
 */
@ConfigurationProperties("weir")
public record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("cbor") CodecKind codec,
        @Nullable String name,
        @DefaultValue("tcp://127.0.0.1:0") List<String> listen,
        @DefaultValue List<String> advertise,
        @DefaultValue("1") int loops,
        @DefaultValue("balanced") Waiting waiting,
        @DefaultValue("true") @Name("native") boolean nativeCode,
        @Nullable String runtimeFolder,
        @DefaultValue Map<String, String> transport,
        @DefaultValue("always") Repath repath,
        @DefaultValue("1s") @Name("repath.probation") Duration repathProbation,
        @DefaultValue("false") boolean tls,
        @Name("tls.certificate") @Nullable String tlsCertificate,
        @Name("tls.key") @Nullable String tlsKey,
        @Name("tls.key-password") @Nullable String tlsKeyPassword,
        @Name("tls.key-store") @Nullable String tlsKeyStore,
        @Name("tls.key-store-password") @Nullable String tlsKeyStorePassword,
        @Name("tls.trust") @Nullable String tlsTrust,
        @Name("tls.trust-store") @Nullable String tlsTrustStore,
        @Name("tls.trust-store-password") @Nullable String tlsTrustStorePassword,
        @Name("tls.revocation-lists") @Nullable String tlsRevocationLists,
        @DefaultValue("false") @Name("tls.ocsp") boolean tlsOcsp,
        @DefaultValue("required") @Name("tls.client-auth") TlsSpec.ClientAuth tlsClientAuth,
        @DefaultValue("true") @Name("tls.verify-host") boolean tlsVerifyHost,

        @DefaultValue("TLSv1.3, TLSv1.2") @Name("tls.protocols")
        List<String> tlsProtocols,

        @DefaultValue("1m") @Name("tls.reload") Duration tlsReload,
        @DefaultValue("local") DirectoryKind directory,
        @DefaultValue @Name("directory.zookeeper") ZooKeeper directoryZookeeper,
        @DefaultValue Ssl ssl,
        @DefaultValue Map<String, PeerSettings> peers,
        @DefaultValue Map<String, PortSettings> ports,
        @DefaultValue Map<String, ServiceSettings> services,
        @DefaultValue Window window,
        @DefaultValue Message message,
        @DefaultValue NodeLimits node,
        @DefaultValue Memory memory,
        @DefaultValue Mailbox mailbox,
        @DefaultValue Max max,
        @DefaultValue Security security,
        @DefaultValue Gateway gateway,
        @DefaultValue Timeout timeout,
        @DefaultValue Keepalive keepalive,
        @DefaultValue Resume resume,
        @DefaultValue Observation observation,
        @DefaultValue Discovery discovery,
        @DefaultValue Page page) {

    /** Without a secret. */
    @Override
    public String toString() {
        return "WeirProperties[name=" + name + ", listen=" + listen + ", peers=" + peers.keySet() + ", services="
                + services.keySet() + ']';
    }

    /** How arguments and results are written. */
    public enum CodecKind {
        /** CBOR, by a mapper with the settings of {@code spring.jackson}: small and fast. */
        CBOR,
        /** JSON, by the application's own mapper: readable on the wire. */
        JSON
    }

    /**
     * An SSL bundle.
     *
     * @param bundle Name of the SSL bundle with certificate, key and whom to trust; switches encryption on.
     */
    public record Ssl(@Nullable String bundle) {}

    /**
     * A peer.
     *
     * @param address Address at which the peer listens; without one, what is called there is looked up in the
     *     directory.
     * @param service Name of the service that is called where no other is named; that of the interface by default.
     * @param transport Order of the paths to this peer, and the switch of each path; what is not named is as for the
     *     node.
     * @param repath Whether the connection to this peer changes its path while it lives; as for the node by default.
     * @param connect When the node connects to this peer: when it is asked for, as soon as the application has started,
     *     or before it has.
     * @param patience Time that a call waits while the peer can't be reached; 0s is one try.
     * @param gateway Comma-separated list of the gateways through which the peer is reached, the nearest first.
     * @param deadline Time that a call of a remote interface may take that yields at most one value, if its method has
     *     none of its own.
     * @param tries Number of times that a call of a remote interface is sent at most, the first time counted.
     * @param password Password of the services that are called there.
     * @param balance Which instance takes a call, where the directory knows several.
     * @param optional Whether the application is healthy without this peer; true unless it is required to start.
     * @param ssl SSL bundle for connections to this peer.
     */
    public record PeerSettings(
            @Nullable String address,
            @Nullable String service,
            @DefaultValue Map<String, String> transport,
            @Nullable Repath repath,
            @DefaultValue("lazy") PeerSpec.Connect connect,
            @Name("wait") @Nullable Duration patience,
            @DefaultValue List<String> gateway,
            @Nullable Duration deadline,
            @DefaultValue("3") int tries,
            @Nullable String password,
            @Nullable Balance balance,
            @Nullable Boolean optional,
            @DefaultValue Ssl ssl) {

        /** Without the password. */
        @Override
        public String toString() {
            return "PeerSettings[address=" + address + ", service=" + service + ", connect=" + connect + ']';
        }

        /** Whether the application is healthy without it. */
        boolean mayBeAway() {
            return optional == null ? connect != PeerSpec.Connect.REQUIRED : optional;
        }
    }

    /**
     * A port of this node.
     *
     * @param transport Order of the paths over which channels to this port may come, and the switch of each path.
     * @param allow Who may use this port: principals of certificates and name:node, with semicolons between them.
     */
    public record PortSettings(
            @DefaultValue Map<String, String> transport,
            @Nullable String allow) {}

    /**
     * A service, served here or called.
     *
     * @param addresses Comma-separated list of addresses at which it is served, whatever the directory says.
     * @param password Password that callers have to prove to know, and that is proved when it is called.
     * @param passwordFile File with this password, which other users must not be able to read.
     * @param patience Time that a call waits while no instance can be reached.
     * @param balance Which instance takes a call.
     */
    public record ServiceSettings(
            @DefaultValue List<String> addresses,
            @Nullable String password,
            @Nullable String passwordFile,
            @DefaultValue("5s") @Name("wait") Duration patience,
            @DefaultValue("round-robin") Balance balance) {

        /** Without the password. */
        @Override
        public String toString() {
            return "ServiceSettings[addresses=" + addresses + ", wait=" + patience + ", balance=" + balance + ']';
        }
    }

    /**
     * The directory in ZooKeeper.
     *
     * @param connect Comma-separated list of the servers, each as host:port.
     * @param root Node of ZooKeeper below which everything is kept.
     * @param user Who this node is to ZooKeeper; only the same user can read and write what it leaves there.
     * @param passwordFile File with the password of this user, which other users must not be able to read.
     * @param timeout Time that a server may take to be reached and to answer.
     * @param session Time after which ZooKeeper takes a node for dead that says nothing.
     */
    public record ZooKeeper(
            @Nullable String connect,
            @DefaultValue("/weir") String root,
            @Nullable String user,
            @Nullable String passwordFile,
            @DefaultValue("5s") Duration timeout,
            @DefaultValue("10s") Duration session) {}

    /**
     * What may be under way.
     *
     * @param items Number of messages of one channel and direction that may be under way.
     * @param bytes Size of what may be under way of one channel and direction: bytes, or 64k, 8m, 1g.
     * @param initial Number of messages that a peer may send before anybody here has asked; 256 unless the window is
     *     smaller.
     */
    public record Window(
            @DefaultValue("16384") long items,
            @DefaultValue("4m") String bytes,
            @Nullable Long initial) {}

    /**
     * Of a message.
     *
     * @param max Size of the longest message: bytes, or 64k, 8m, 1g.
     */
    public record Message(@DefaultValue("64m") String max) {}

    /**
     * Of the node.
     *
     * @param bytes Size of what the node lends, over all peers, to messages longer than their window: bytes, or 64k,
     *     8m, 1g.
     */
    public record NodeLimits(@DefaultValue("256m") String bytes) {}

    /**
     * What is kept on behalf of peers.
     *
     * @param max Size of what the node keeps on behalf of all peers: bytes, or 64k, 8m, 1g; half of what the JVM may
     *     have if it is not set.
     */
    public record Memory(@Nullable String max) {}

    /**
     * Of a mailbox.
     *
     * @param items Number of messages that a mailbox keeps because nobody there wants them.
     */
    public record Mailbox(@DefaultValue("1024") int items) {}

    /**
     * Of numbers.
     *
     * @param peers Number of connected peers; whoever comes then is refused.
     * @param channels Number of open channels for each peer.
     * @param handshakes Number of accepted connections on their way to become sessions.
     * @param handshakeRate Number of new connections in a second that are let in.
     */
    public record Max(
            @DefaultValue("4096") int peers,
            @DefaultValue("4096") int channels,
            @DefaultValue("256") int handshakes,
            @DefaultValue("1000") int handshakeRate) {}

    /**
     * Who may be a peer.
     *
     * @param secret Words that all nodes know, 16 to 1024 bytes.
     * @param secretFile File with these words, which other users must not be able to read.
     * @param formerSecret Words that are accepted as well while the secret is being changed.
     * @param formerSecretFile File with these words.
     * @param require What a connection must have; beyond this host a proof of the secret or a trusted certificate, by
     *     default.
     */
    public record Security(
            @Nullable String secret,
            @Nullable String secretFile,
            @Nullable String formerSecret,
            @Nullable String formerSecretFile,
            @Nullable Requirement require) {

        /** Without the secrets. */
        @Override
        public String toString() {
            return "Security[secret=" + (secret == null && secretFile == null ? "none" : "set") + ", require=" + require
                    + ']';
        }
    }

    /**
     * Of gateways.
     *
     * @param accept Whether nodes may connect to this one through gateways that are connected to it.
     */
    public record Gateway(@DefaultValue("true") boolean accept) {}

    /**
     * Time limits.
     *
     * @param connect Time until the address of a peer answers.
     * @param handshake Time until a connection can be used.
     * @param step Time until one path is open or the next one is tried.
     * @param headStart Time that a better path may take to open before the connection begins over tcp.
     * @param drain Time that closing a node waits for what is still to be sent.
     * @param start Time that starting waits for the peers that are required.
     * @param resume Time that a connection may be without any path before it ends.
     * @param rejoin Time that a connection waits for another bootstrap connection when the other side has closed it.
     */
    public record Timeout(
            @DefaultValue("5s") Duration connect,
            @DefaultValue("5s") Duration handshake,
            @DefaultValue("2s") Duration step,
            @DefaultValue("1s") Duration headStart,
            @DefaultValue("2s") Duration drain,
            @DefaultValue("30s") Duration start,
            @DefaultValue("30s") Duration resume,
            @DefaultValue("500ms") Duration rejoin) {}

    /**
     * Signs of life.
     *
     * @param interval Time after which a peer that says nothing is asked whether it is there.
     * @param timeout Time after which a peer that says nothing is given up, at least twice the interval.
     */
    public record Keepalive(
            @DefaultValue("10s") Duration interval,
            @DefaultValue("1m") Duration timeout) {}

    /**
     * What is kept.
     *
     * @param bytes Size of what a link keeps at most so that it can go again: bytes, or 64k, 8m, 1g.
     */
    public record Resume(@DefaultValue("16m") String bytes) {}

    /**
     * Of observations.
     *
     * @param enabled Whether calls are observed, where there is a registry of observations.
     * @param context Comma-separated list of entries of the Reactor context that travel with a call, as texts.
     */
    public record Observation(
            @DefaultValue("true") boolean enabled,
            @DefaultValue List<String> context) {}

    /**
     * Of Spring Cloud.
     *
     * @param enabled Whether services are looked up through the discovery client of Spring Cloud.
     * @param refresh Time after which it is asked again.
     */
    public record Discovery(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("10s") Duration refresh) {}

    /**
     * Of the page.
     *
     * @param enabled Whether there is a page at /weir where the endpoint is exposed over the web.
     */
    public record Page(@DefaultValue("true") boolean enabled) {}
}
