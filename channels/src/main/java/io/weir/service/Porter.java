package io.weir.service;

import io.netty.buffer.Unpooled;
import io.weir.channel.Calls;
import io.weir.channel.Node;
import io.weir.channel.Peer;
import io.weir.config.Password;
import io.weir.core.AuthenticationFailed;
import io.weir.core.ForeignText;
import io.weir.core.Message;
import io.weir.core.ProtocolMismatch;
import io.weir.core.RareLog;
import io.weir.core.Refused;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The server's side of {@link Proof}, for all services of a node: answers knocks, and remembers for as long as a
 * session lasts what its peer has proved. Who knocks for a service that is not here, or has no password, sees no
 * difference to one who does not know the password; but for one that is just being opened he is asked to knock again.
 */
final class Porter implements Disposable {

    private static final Logger LOG = LoggerFactory.getLogger(Porter.class);

    /** Knocks of a peer that were not followed by a proof yet; further ones make it forget the first. */
    private static final int MOST_KNOCKS = 64;

    private final Node node;
    private final Disposable answering;
    private final byte[] saltKey = Proof.random(Proof.CODE);
    private final byte[] decoy = Proof.random(Proof.CODE);
    private final RareLog failures = new RareLog(LOG, System::nanoTime);
    private final ConcurrentMap<String, Lock> locks = new ConcurrentHashMap<>();
    /** Services whose keys are being derived, which takes a while. */
    private final Set<String> opening = ConcurrentHashMap.newKeySet();

    private final ConcurrentMap<Peer, Visitor> visitors = new ConcurrentHashMap<>();

    /** A service with a password, until it is not served any more: then the password may be another one. */
    static final class Lock {
        private final String service;
        private final byte[] key;

        Lock(String service, byte[] key) {
            this.service = service;
            this.key = key;
        }

        @Override
        public String toString() {
            return "Lock[" + service + ']';
        }
    }

    /** Answers knocks from now on. */
    Porter(Node node) {
        this.node = node;
        this.answering = Calls.answer(node, Proof.PORT, this::answer);
    }

    /** Wants this password to be proved for this service, until {@link #unlock}. */
    Mono<Lock> lock(String service, Password password) {
        return Mono.fromCallable(() -> password.key(salt(service), Proof.ITERATIONS))
                .subscribeOn(Schedulers.boundedElastic())
                .map(key -> {
                    Lock lock = new Lock(service, key);
                    locks.put(service, lock);
                    return lock;
                })
                .doOnSubscribe(begun -> opening.add(service))
                .doFinally(how -> opening.remove(service));
    }

    void unlock(Lock lock) {
        locks.remove(lock.service, lock);
    }

    /** Whether this peer has proved it. On the peer's loop. */
    boolean hasOpened(Peer peer, Lock lock) {
        Visitor visitor = visitors.get(peer);
        return visitor != null && visitor.opened.contains(lock);
    }

    private Mono<Message> answer(Peer peer, Message message) {
        ByteBuffer said = read(message);
        return Mono.just(Message.of(Unpooled.wrappedBuffer(
                switch (said.get()) {
                    case Proof.KNOCK -> knocked(visitor(peer), said);
                    case Proof.PROVE -> proved(peer, visitor(peer), said);
                    default -> throw new ProtocolMismatch("neither a knock nor a proof");
                })));
    }

    private static ByteBuffer read(Message message) {
        try {
            int length = message.size();
            if (length <= Proof.NONCE || length > 1 + Proof.NONCE + 128) {
                throw new ProtocolMismatch("a knock or proof of " + length + " bytes");
            }
            return ByteBuffer.wrap(message.bytes());
        } finally {
            message.release();
        }
    }

    private Visitor visitor(Peer peer) {
        Visitor known = visitors.get(peer);
        if (known == null) {
            known = new Visitor();
            visitors.put(peer, known);
            var unused = peer.paths().ignoreElements().subscribe(null, null, () -> visitors.remove(peer));
        }
        return known;
    }

    private byte[] knocked(Visitor visitor, ByteBuffer said) {
        byte[] nonce = take(said, Proof.NONCE);
        String service = new String(take(said, said.remaining()), StandardCharsets.UTF_8);
        if (!ServiceSpec.isName(service)) {
            throw new ProtocolMismatch("a knock that names no service");
        }
        Proof.Talk talk = new Proof.Talk(service, nonce, Proof.random(Proof.NONCE), salt(service), Proof.ITERATIONS);
        visitor.knocks.put(ByteBuffer.wrap(talk.serverNonce), talk);
        return ByteBuffer.allocate(1 + Proof.NONCE + Proof.SALT + Integer.BYTES)
                .put(Proof.CHALLENGE)
                .put(talk.serverNonce)
                .put(talk.salt)
                .putInt(talk.iterations)
                .array();
    }

    private byte[] proved(Peer peer, Visitor visitor, ByteBuffer said) {
        Proof.Talk talk = visitor.knocks.remove(ByteBuffer.wrap(take(said, Proof.NONCE)));
        if (talk == null) {
            throw new Refused("a proof that answers no challenge, or one that was forgotten: knock again");
        }
        if (said.remaining() != Proof.CODE) {
            throw new ProtocolMismatch("a proof of the wrong length");
        }
        if (!visitor.attempts.left()) {
            throw new AuthenticationFailed("too many proofs have failed on this connection: try again in a minute");
        }
        // Asked for before the lock, which is there when it is over.
        boolean isOpening = opening.contains(talk.service);
        Lock lock = locks.get(talk.service);
        if (lock == null && isOpening) {
            throw new Refused("service '" + talk.service + "' is just being opened: knock again");
        }
        byte[] key = lock == null ? decoy : lock.key;
        Proof.Ends ends = new Proof.Ends(peer.id(), node.id(), peer.binding());
        boolean right = MessageDigest.isEqual(Proof.code(key, Proof.CLIENT, talk, ends), take(said, Proof.CODE));
        if (!right || lock == null) {
            visitor.attempts.failed();
            failures.warn("The password of service '" + talk.service + "' was not proved by "
                    + ForeignText.harmless(peer.id().toString()));
            throw new AuthenticationFailed(
                    "the password of service '" + talk.service + "' was not proved: set weir.services." + talk.service
                            + ".password-file to the same on both sides");
        }
        visitor.opened.add(lock);
        return ByteBuffer.allocate(1 + Proof.CODE)
                .put(Proof.PROVED)
                .put(Proof.code(key, Proof.SERVER, talk, ends))
                .array();
    }

    /** The same for each knock, and as random for what is not here. */
    private byte[] salt(String service) {
        return Arrays.copyOf(Proof.hmac(saltKey, service.getBytes(StandardCharsets.UTF_8)), Proof.SALT);
    }

    private static byte[] take(ByteBuffer from, int length) {
        byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }

    @Override
    public void dispose() {
        answering.dispose();
        visitors.clear();
    }

    /** What is known of a session. On its loop only. */
    private static final class Visitor {

        final Map<ByteBuffer, Proof.Talk> knocks = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<ByteBuffer, Proof.Talk> eldest) {
                return size() > MOST_KNOCKS;
            }
        };

        final Attempts attempts = new Attempts(System::nanoTime);
        final Set<Lock> opened = Collections.newSetFromMap(new WeakHashMap<>());
    }
}
