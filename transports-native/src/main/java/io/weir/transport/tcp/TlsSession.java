package io.weir.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.weir.core.Link;
import io.weir.core.Protection;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** What a TLS handshake that has ended well has shown. */
final class TlsSession {

    private static final Pattern SIGNED = Pattern.compile("SHA-?(256|384|512)WITH.*");

    private TlsSession() {}

    /** What this channel, which is connected, keeps from others. */
    static Protection protection(Channel channel, @Nullable SslHandler tls) {
        if (channel instanceof DomainSocketChannel) {
            // Its bytes leave neither the kernel nor, by the mode of its file, the user.
            return new Protection(true, null, "");
        }
        return tls == null ? Protection.NONE : protection(tls.engine());
    }

    private static Protection protection(SSLEngine engine) {
        SSLSession session = engine.getSession();
        X509Certificate peer = first(peerCertificates(session));
        X509Certificate server = engine.getUseClientMode() ? peer : first(session.getLocalCertificates());
        return new Protection(
                true,
                peer == null ? null : peer.getSubjectX500Principal().getName(),
                server == null ? "" : endPoint(server));
    }

    /**
     * Why this further link of a peer does not end where its first connection does, as far as certificates tell; null
     * if it may.
     */
    static @Nullable String stranger(Link bootstrap, Link further) {
        String first = bootstrap.protection().principal();
        String second = further.protection().principal();
        return first == null || first.equals(second)
                ? null
                : "its certificate is that of " + second + ", not of " + first;
    }

    private static Certificate @Nullable [] peerCertificates(SSLSession session) {
        try {
            return session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException e) {
            // Who connects need not show one, where that is configured.
            return null;
        }
    }

    private static @Nullable X509Certificate first(Certificate @Nullable [] chain) {
        return chain != null && chain.length > 0 && chain[0] instanceof X509Certificate own ? own : null;
    }

    /** {@code tls-server-end-point} of RFC 5929; SHA-256 also where the certificate's own signature names no hash. */
    private static String endPoint(X509Certificate server) {
        Matcher signed = SIGNED.matcher(server.getSigAlgName().toUpperCase(Locale.ROOT));
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-" + (signed.matches() ? signed.group(1) : "256"));
            return HexFormat.of().formatHex(hash.digest(server.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was used in a handshake can't be hashed", e);
        }
    }
}
