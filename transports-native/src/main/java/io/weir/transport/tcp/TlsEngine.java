package io.weir.transport.tcp;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;

/**
 * The engine of the JDK, with a bound for what the other side may ask for beside its content: each new key of TLS 1.3
 * takes the time of some thousand bytes, and a peer may want one with every 27 bytes that it sends. In a handshake, the
 * engine itself passes over warnings without end.
 */
final class TlsEngine extends SSLEngine {

    /**
     * Records of a handshake. A long chain of certificates takes about 70, where they are as short as may be agreed.
     */
    private static final int HANDSHAKE = 256;

    /** Records without content at the beginning of a connection, such as session tickets. */
    private static final int FREE = 32;

    /** One more for so many bytes of content. */
    private static final int CONTENT = 1 << 20;

    private final SSLEngine engine;
    private boolean open;
    private int handshake;
    private long empty;
    private long content;

    TlsEngine(SSLEngine engine) {
        super(engine.getPeerHost(), engine.getPeerPort());
        this.engine = engine;
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int first, int count) throws SSLException {
        boolean wasOpen = open;
        SSLEngineResult result = noted(engine.unwrap(from, to, first, count));
        if (!wasOpen && result.bytesConsumed() > 0 && ++handshake > HANDSHAKE) {
            throw new SSLException(
                    "the other side has sent more than " + HANDSHAKE + " records, and the handshake has not ended");
        }
        if (wasOpen && result.getStatus() == SSLEngineResult.Status.OK && result.bytesConsumed() > 0) {
            content += result.bytesProduced();
            if (result.bytesProduced() == 0 && ++empty > FREE + content / CONTENT) {
                throw new SSLException("the other side has sent " + empty
                        + " records without content, such as demands for new keys, beside " + content + " bytes");
            }
        }
        return result;
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] from, int first, int count, ByteBuffer to) throws SSLException {
        return noted(engine.wrap(from, first, count, to));
    }

    private SSLEngineResult noted(SSLEngineResult result) {
        open |= result.getHandshakeStatus() == HandshakeStatus.FINISHED;
        return result;
    }

    @Override
    public Runnable getDelegatedTask() {
        return engine.getDelegatedTask();
    }

    @Override
    public void closeInbound() throws SSLException {
        engine.closeInbound();
    }

    @Override
    public boolean isInboundDone() {
        return engine.isInboundDone();
    }

    @Override
    public void closeOutbound() {
        engine.closeOutbound();
    }

    @Override
    public boolean isOutboundDone() {
        return engine.isOutboundDone();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return engine.getSupportedCipherSuites();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return engine.getEnabledCipherSuites();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        engine.setEnabledCipherSuites(suites);
    }

    @Override
    public String[] getSupportedProtocols() {
        return engine.getSupportedProtocols();
    }

    @Override
    public String[] getEnabledProtocols() {
        return engine.getEnabledProtocols();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        engine.setEnabledProtocols(protocols);
    }

    @Override
    public SSLSession getSession() {
        return engine.getSession();
    }

    @Override
    public SSLSession getHandshakeSession() {
        return engine.getHandshakeSession();
    }

    @Override
    public void beginHandshake() throws SSLException {
        engine.beginHandshake();
    }

    @Override
    public HandshakeStatus getHandshakeStatus() {
        return engine.getHandshakeStatus();
    }

    @Override
    public void setUseClientMode(boolean client) {
        engine.setUseClientMode(client);
    }

    @Override
    public boolean getUseClientMode() {
        return engine.getUseClientMode();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        engine.setNeedClientAuth(need);
    }

    @Override
    public boolean getNeedClientAuth() {
        return engine.getNeedClientAuth();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        engine.setWantClientAuth(want);
    }

    @Override
    public boolean getWantClientAuth() {
        return engine.getWantClientAuth();
    }

    @Override
    public void setEnableSessionCreation(boolean may) {
        engine.setEnableSessionCreation(may);
    }

    @Override
    public boolean getEnableSessionCreation() {
        return engine.getEnableSessionCreation();
    }

    @Override
    public SSLParameters getSSLParameters() {
        return engine.getSSLParameters();
    }

    @Override
    public void setSSLParameters(SSLParameters parameters) {
        engine.setSSLParameters(parameters);
    }

    @Override
    public String getApplicationProtocol() {
        return engine.getApplicationProtocol();
    }

    @Override
    public String getHandshakeApplicationProtocol() {
        return engine.getHandshakeApplicationProtocol();
    }

    @Override
    public void setHandshakeApplicationProtocolSelector(BiFunction<SSLEngine, List<String>, String> selector) {
        engine.setHandshakeApplicationProtocolSelector(selector);
    }

    @Override
    public BiFunction<SSLEngine, List<String>, String> getHandshakeApplicationProtocolSelector() {
        return engine.getHandshakeApplicationProtocolSelector();
    }
}
