package io.weir.transport.tcp;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.weir.core.ForeignText;
import io.weir.core.PeerUnavailable;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why there is no TLS with the other side, in words. */
final class TlsFailure {

    private static final Pattern ALERT = Pattern.compile("Received fatal alert: (\\w+)");
    private static final int LONGEST = 300;

    private TlsFailure() {}

    /** The end of a handshake. */
    static PeerUnavailable ofHandshake(Remote remote, Throwable cause) {
        return new PeerUnavailable(remote.connection() + " failed in the TLS handshake: " + why(cause), cause);
    }

    /** The reason, as a sentence in which "it" is the other side. */
    static String why(Throwable cause) {
        PlainRefusal refusal = find(cause, PlainRefusal.class);
        if (refusal != null) {
            return "it refuses without TLS: set weir.tls alike on both sides, unless it gives another reason. Its"
                    + " reason is not authenticated: '" + refusal.getMessage() + "'";
        }
        if (find(cause, NotSslRecordException.class) != null) {
            return "it does not speak TLS; set weir.tls alike on both sides";
        }
        if (find(cause, SslHandshakeTimeoutException.class) != null) {
            return "it did not end within the time for connecting (weir.transport.tcp.connect-timeout)";
        }
        if (find(cause, ClosedChannelException.class) != null) {
            return "it has ended the connection; its log may tell why";
        }
        Throwable root = root(cause);
        String text = String.valueOf(root.getMessage());
        Matcher alert = ALERT.matcher(text);
        if (alert.find()) {
            return toldUs(alert.group(1));
        }
        String ours = foundByUs(cause, text);
        return harmless(ours == null ? text : ours);
    }

    private static String toldUs(String alert) {
        String remedy = switch (alert) {
            case "certificate_expired" -> "our certificate has expired; renew weir.tls.certificate";
            case "certificate_revoked" -> "our certificate was revoked by its issuer; get another one";
            case "certificate_required" -> "it wants a certificate of whom it trusts; look at weir.tls.certificate";
            case "bad_certificate", "certificate_unknown", "unknown_ca", "unsupported_certificate" ->
                "it does not accept our certificate, which has expired, was revoked, is not of whom it trusts or for"
                        + " another name, or it misses one; its log tells which (weir.tls.certificate, weir.tls.trust"
                        + " there)";
            case "protocol_version" ->
                "it has no version of TLS in common with us; look at weir.tls.protocols on both sides";
            case "handshake_failure" ->
                "it may want a certificate of whom it trusts, or has nothing in common with us; its log tells which"
                        + " (weir.tls.certificate, weir.tls.protocols)";
            case "unexpected_message" ->
                "it may have asked for a session ticket with TLS 1.2, as OpenSSL does; set SSL_OP_NO_TICKET "
                        + "there, or use"
                        + " TLS 1.3";
            default -> "its log tells why";
        };
        return "it refuses (" + alert + "): " + remedy;
    }

    private static @Nullable String foundByUs(Throwable cause, String text) {
        CertPathValidatorException path = find(cause, CertPathValidatorException.class);
        if (find(cause, CertificateExpiredException.class) != null
                || (path != null && path.getReason() == BasicReason.EXPIRED)) {
            return "its certificate has expired; renew weir.tls.certificate there";
        }
        if (find(cause, CertificateNotYetValidException.class) != null
                || (path != null && path.getReason() == BasicReason.NOT_YET_VALID)) {
            return "its certificate is not valid yet; compare the clocks of both hosts";
        }
        if (path != null && path.getReason() == BasicReason.REVOKED) {
            return "its certificate was revoked by its issuer; issue another one, if its owner is still trusted";
        }
        if (path != null && (path.getReason() == BasicReason.UNDETERMINED_REVOCATION_STATUS || text.contains("OCSP"))) {
            return "whether its certificate was revoked can't be found out (" + text
                    + "): weir.tls.revocation-lists needs a current list of each issuer, and weir.tls.ocsp=on an"
                    + " answer at the address that the certificate names";
        }
        if (find(cause, CertPathBuilderException.class) != null) {
            return "its certificate was issued by nobody whom weir.tls.trust names";
        }
        if (text.contains("mpty client certificate")) {
            return "it shows no certificate of whom weir.tls.trust names; set weir.tls.certificate there, or"
                    + " weir.tls.client-auth=optional here";
        }
        if (find(cause, CertificateException.class) != null && text.startsWith("No ")) {
            return "its certificate is not for the name that was connected to (" + text
                    + "); issue one with this name, or connect to a name that it has (weir.tls.verify-host)";
        }
        if (text.toLowerCase(Locale.ROOT).contains("protocol")) {
            return "there is no version of TLS in common (" + text + "); look at weir.tls.protocols on both sides";
        }
        return null;
    }

    private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < 20; depth++) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
            at = at.getCause();
        }
        return null;
    }

    private static Throwable root(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at.getCause() != null && depth < 20; depth++) {
            at = at.getCause();
        }
        return at;
    }

    /** Parts of it may have been chosen by the other side. */
    private static String harmless(String text) {
        String shown = ForeignText.harmless(text);
        return shown.length() > LONGEST ? shown.substring(0, LONGEST) + '…' : shown;
    }
}
