package io.weir.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class TlsFailureTest {

    @Test
    void namesTheOtherSide() {
        assertThat(TlsFailure.ofHandshake(new Remote("tcp://h:1", true), new ClosedChannelException()))
                .hasMessage("the connection from tcp://h:1 failed in the TLS handshake: it has ended the connection;"
                        + " its log may tell why");
    }

    @Test
    void looksBehindWhatHidesTheReason() {
        assertThat(TlsFailure.why(new DecoderException(new NotSslRecordException("not an SSL/TLS record"))))
                .isEqualTo("it does not speak TLS; set weir.tls alike on both sides");
        assertThat(TlsFailure.why(
                        new DecoderException(new SSLHandshakeException("Received fatal alert: certificate_expired"))))
                .isEqualTo("it refuses (certificate_expired): our certificate has expired; renew weir.tls.certificate");
        // As later JDKs write it.
        assertThat(TlsFailure.why(
                        new SSLHandshakeException("(protocol_version) Received fatal alert: protocol_version")))
                .contains("weir.tls.protocols");
        assertThat(TlsFailure.why(new SSLException("Received fatal alert: unexpected_message")))
                .isEqualTo("it refuses (unexpected_message): it may have asked for a session ticket with TLS 1.2, "
                        + "as OpenSSL"
                        + " does; set SSL_OP_NO_TICKET there, or use TLS 1.3");
    }

    /** A certificate may hold any name. */
    @Test
    void whatTheOtherSideHasChosenIsShownWithoutHarm() {
        SSLHandshakeException failure = new SSLHandshakeException("wrapped");
        failure.initCause(new CertificateException("No name matching a\r\nb\u001b[2J" + "x".repeat(1_000) + " found"));
        assertThat(TlsFailure.why(failure)).doesNotContain("\r", "\n", "\u001b").hasSizeLessThan(310);
    }

    /** A chain of causes that is a circle. */
    @Test
    void looksNotWithoutEnd() {
        Exception one = new Exception("one");
        Exception other = new Exception("other", one);
        one.initCause(other);
        assertThat(TlsFailure.why(one)).isIn("one", "other");
    }
}
