package io.weir.path;

import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import io.weir.peer.Identity;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One connection with somebody who says who he is, from its HELLOs to the end of its session, and whether it is with
 * the same one as another. An id is a claim, so that alone says nothing:
 *
 * <ul>
 *   <li>Where a certificate was shown, those are the same who claim the same and have shown the same.
 *   <li>Otherwise we have dialled the same address twice, and whoever answers there is meant. A shared secret does not
 *       change that: others know it as well.
 *   <li>Or the other side of one connection has said over it which others are its own as well, in a way that only the
 *       two ends of both can: by a {@link #tagFor tag} of what was said in both. Each side says so in its CARD.
 * </ul>
 *
 * <p>Who is the same as a third one is the same as the other. All of this happens under the lock of the node's peers.
 */
public final class Contact {

    /** Others that are named in a CARD at most. */
    public static final int MOST_NAMED = 16;

    /** Bytes of a tag. */
    static final int TAG = 16;

    private final PeerId peerId;
    private final Identity identity;
    private final boolean connecting;
    private final @Nullable PeerAddress dialled;
    private final boolean mayBeNamed;
    private final byte[] bond;
    private List<byte[]> named = List.of();
    /** Another one with the same peer; itself if it stands for all of them. */
    private Contact same = this;

    /**
     * Somebody has just been admitted.
     *
     * @param dialled what leads to him by itself; null if he has connected to us, or if we have through a gateway
     * @param mayBeNamed whether it is as good a connection as any between him and us, which somebody in between has not
     *     just passed on
     * @param bond what only the two ends know
     */
    public Contact(
            PeerId peerId,
            Identity identity,
            boolean connecting,
            @Nullable PeerAddress dialled,
            boolean mayBeNamed,
            byte[] bond) {
        this.peerId = peerId;
        this.identity = identity;
        this.connecting = connecting;
        this.dialled = dialled;
        this.mayBeNamed = mayBeNamed;
        this.bond = bond;
    }

    public PeerId peerId() {
        return peerId;
    }

    public boolean connecting() {
        return connecting;
    }

    /** The other side has named these over it. */
    public void named(List<byte[]> tags) {
        named = tags;
    }

    /** Whether we name it to who claims to be the same. Where a certificate was shown, nobody needs it. */
    public boolean isNamedTo(Contact other) {
        return !isIt(other) && mayBeNamed && other.mayBeNamed && !identity.provedItself() && claimsSame(other);
    }

    /** What names the other one over this one. */
    public byte[] tagFor(Contact other) {
        return Arrays.copyOf(digest(bond, other.bond), TAG);
    }

    /** Whether both are known to be with the same peer. */
    public boolean isWithSame(Contact other) {
        return root().isIt(other.root());
    }

    /** From now on they are, if there is reason to think so. */
    public void joinIfSame(Contact other) {
        if (!isWithSame(other) && isSame(other)) {
            other.root().same = root();
        }
    }

    private boolean isSame(Contact other) {
        if (!claimsSame(other)) {
            return false;
        }
        return identity.provedItself()
                || (dialled != null && dialled.equals(other.dialled))
                || (mayBeNamed && other.mayBeNamed && (names(other) || other.names(this)));
    }

    /** Whether he claims to be the same one, and has proved the same, if only nothing. */
    private boolean claimsSame(Contact other) {
        return peerId.equals(other.peerId) && hasProvedAsMuchAs(other);
    }

    /** The same, perhaps of another start of that node. */
    public boolean hasProvedSameAs(Contact other) {
        return identity.provedItself() && peerId.id().equals(other.peerId.id()) && hasProvedAsMuchAs(other);
    }

    private boolean hasProvedAsMuchAs(Contact other) {
        return identity.knowsSecret() == other.identity.knowsSecret()
                && Objects.equals(identity.principal(), other.identity.principal());
    }

    private boolean names(Contact other) {
        byte[] tag = named.isEmpty() ? new byte[0] : tagFor(other);
        return named.stream().anyMatch(each -> MessageDigest.isEqual(each, tag));
    }

    private Contact root() {
        Contact root = this;
        while (!root.isIt(root.same)) {
            root = root.same;
        }
        same = root;
        return root;
    }

    @SuppressWarnings("ReferenceEquality") // Each is one of its kind.
    private boolean isIt(Contact other) {
        return this == other;
    }

    /** Of texts that begin with their length, or have a fixed one. */
    static byte[] digest(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("weir".getBytes(StandardCharsets.US_ASCII));
            for (byte[] part : parts) {
                digest.update(part);
            }
            return digest.digest();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
