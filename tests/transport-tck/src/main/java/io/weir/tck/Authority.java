package io.weir.tck;

import io.weir.core.TlsSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;

/**
 * Issues certificates for tests, into a folder that the test removes. They are made when the test runs, so that none of
 * them is ever too old, unless it is meant to be.
 */
public final class Authority {

    // In DER: what kind of value follows.
    private static final int BOOLEAN = 0x01;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int ENUMERATED = 0x0a;
    private static final int TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final int DNS_NAME = 0x82;
    private static final int URI = 0x86;
    private static final int IP_ADDRESS = 0x87;
    private static final int GOOD = 0x80;
    private static final int EXPLICIT_0 = 0xa0;
    private static final int EXPLICIT_1 = 0xa1;

    // Identifiers, in DER as well.
    private static final byte[] ECDSA_WITH_SHA256 = HexFormat.of().parseHex("06082a8648ce3d040302");
    private static final byte[] BASIC_CONSTRAINTS = HexFormat.of().parseHex("0603551d13");
    private static final byte[] ALTERNATIVE_NAMES = HexFormat.of().parseHex("0603551d11");

    private static final byte[] DISTRIBUTION_POINTS = HexFormat.of().parseHex("0603551d1f");
    private static final byte[] AUTHORITY_ACCESS = HexFormat.of().parseHex("06082b06010505070101");
    private static final byte[] OCSP = HexFormat.of().parseHex("06082b06010505073001");
    private static final byte[] OCSP_BASIC = HexFormat.of().parseHex("06092b0601050507300101");

    private static final byte[] TRUE = {(byte) 0xff};
    private static final DateTimeFormatter TIMES =
            DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path folder;
    private final X500Principal name;
    private final KeyPair keys;
    private final X509Certificate is;
    private final Path certificate;
    private String responder = "";
    private String lists = "";
    private int files;

    /** What was issued, as files and as it is. */
    public record Issued(Path certificate, Path key, X509Certificate is, PrivateKey secret) {}

    private Authority(Path folder, X500Principal name) throws GeneralSecurityException, IOException {
        this.folder = folder;
        this.name = name;
        this.keys = newKeys();
        Instant now = Instant.now();
        byte[] constraints =
                der(SEQUENCE, BASIC_CONSTRAINTS, der(BOOLEAN, TRUE), octets(der(SEQUENCE, der(BOOLEAN, TRUE))));
        this.is = sign(name, keys, now.minus(1, ChronoUnit.DAYS), now.plus(1, ChronoUnit.DAYS), constraints);
        this.certificate = write("authority", "CERTIFICATE", is.getEncoded());
    }

    /** One of this name, such as {@code Test}. */
    public static Authority in(Path folder, String name) throws GeneralSecurityException, IOException {
        return new Authority(folder, new X500Principal("CN=" + name));
    }

    /** Its own certificate, PEM. */
    public Path certificate() {
        return certificate;
    }

    /** The same as it is. */
    public X509Certificate is() {
        return is;
    }

    /** Certificates that are issued from now on name this address, at which one asks whether they were revoked. */
    public void answersAt(String address) {
        responder = address;
    }

    /** A certificate that is good today, for these host names and addresses. */
    public Issued issue(String subject, String... hosts) throws GeneralSecurityException, IOException {
        Instant now = Instant.now();
        return issue(subject, now.minus(1, ChronoUnit.HOURS), now.plus(1, ChronoUnit.HOURS), hosts);
    }

    /** A certificate that is good in this time. */
    public Issued issue(String subject, Instant from, Instant until, String... hosts)
            throws GeneralSecurityException, IOException {
        KeyPair theirs = newKeys();
        byte[] alternatives = new byte[0];
        for (String host : hosts) {
            boolean address = host.matches("[0-9.]+|.*:.*");
            alternatives = join(
                    alternatives,
                    address
                            ? der(IP_ADDRESS, InetAddress.getByName(host).getAddress())
                            : der(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII)));
        }
        X509Certificate issued = sign(
                new X500Principal("CN=" + subject),
                theirs,
                from,
                until,
                join(der(SEQUENCE, ALTERNATIVE_NAMES, octets(der(SEQUENCE, alternatives))), access()));
        files++;
        return new Issued(
                write("node-" + files + "-certificate", "CERTIFICATE", issued.getEncoded()),
                write(
                        "node-" + files + "-key",
                        "PRIVATE KEY",
                        theirs.getPrivate().getEncoded()),
                issued,
                theirs.getPrivate());
    }

    /** Certificates that are issued from now on say that the list of those that were revoked is to be had there. */
    public void listsAt(String address) {
        lists = address;
    }

    /** Where one asks, and where the list is, as far as there is such a place. */
    private byte[] access() {
        byte[] asking = new byte[0];
        if (!responder.isEmpty()) {
            byte[] address = der(URI, responder.getBytes(StandardCharsets.US_ASCII));
            asking = der(SEQUENCE, AUTHORITY_ACCESS, octets(der(SEQUENCE, der(SEQUENCE, OCSP, address))));
        }
        if (lists.isEmpty()) {
            return asking;
        }
        byte[] place = der(EXPLICIT_0, der(EXPLICIT_0, der(URI, lists.getBytes(StandardCharsets.US_ASCII))));
        return join(asking, der(SEQUENCE, DISTRIBUTION_POINTS, octets(der(SEQUENCE, der(SEQUENCE, place)))));
    }

    /** The list of certificates that were revoked, PEM, which another one replaces at this time. */
    public Path revocations(Instant next, X509Certificate... revoked) throws GeneralSecurityException, IOException {
        Instant now = Instant.now().minus(1, ChronoUnit.HOURS);
        byte[] entries = new byte[0];
        for (X509Certificate each : revoked) {
            entries = join(entries, der(SEQUENCE, serial(each), time(now)));
        }
        byte[] list = signed(der(
                SEQUENCE,
                der(INTEGER, new byte[] {1}),
                der(SEQUENCE, ECDSA_WITH_SHA256),
                name.getEncoded(),
                time(now),
                time(next),
                revoked.length == 0 ? new byte[0] : der(SEQUENCE, entries)));
        files++;
        return write("revocations-" + files, "X509 CRL", list);
    }

    private static byte[] serial(X509Certificate certificate) {
        return der(INTEGER, certificate.getSerialNumber().toByteArray());
    }

    /**
     * What is said by OCSP (RFC 6960) to who asks whether one certificate was revoked: these were, all others were not.
     *
     * @param request as it has come
     */
    public byte[] answer(byte[] request, X509Certificate... revoked) throws GeneralSecurityException, IOException {
        // A list of requests stands in what may be signed, and in the first of them what is asked about.
        byte[] asked = first(first(first(first(request))));
        boolean isRevoked = false;
        for (X509Certificate each : revoked) {
            byte[] serial = serial(each);
            isRevoked |= Arrays.equals(serial, 0, serial.length, asked, asked.length - serial.length, asked.length);
        }
        Instant now = Instant.now();
        byte[] response = der(
                SEQUENCE,
                asked,
                isRevoked ? der(EXPLICIT_1, time(now)) : der(GOOD),
                time(now),
                der(EXPLICIT_0, time(now.plus(1, ChronoUnit.HOURS))));
        byte[] basic = signed(der(SEQUENCE, der(EXPLICIT_1, name.getEncoded()), time(now), der(SEQUENCE, response)));
        return der(SEQUENCE, der(ENUMERATED, new byte[1]), der(EXPLICIT_0, der(SEQUENCE, OCSP_BASIC, octets(basic))));
    }

    /** The first value within a value, both with what is before their content. */
    private static byte[] first(byte[] of) {
        int begin = head(of, 0);
        int length = of[begin + 1] & 0xff;
        if (length > 0x80) {
            length = new BigInteger(1, Arrays.copyOfRange(of, begin + 2, begin + 2 + length - 0x80)).intValueExact();
        }
        return Arrays.copyOfRange(of, begin, head(of, begin) + length);
    }

    /** Where the content of the value begins that begins here. */
    private static int head(byte[] of, int at) {
        int length = of[at + 1] & 0xff;
        return at + 2 + (length > 0x80 ? length - 0x80 : 0);
    }

    /** The settings of a node that has a certificate of ours and trusts us. */
    public TlsSpec.Builder tls(Issued issued) {
        return TlsSpec.builder()
                .certificate(issued.certificate())
                .key(issued.key())
                .trust(certificate);
    }

    /** The same in memory: its key under this password, and whom to trust. */
    public KeyStore store(Issued issued, char[] password) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", issued.secret(), password, new Certificate[] {issued.is()});
        store.setCertificateEntry("authority", is);
        return store;
    }

    private static KeyPair newKeys() throws GeneralSecurityException {
        return KeyPairGenerator.getInstance("EC").generateKeyPair();
    }

    private X509Certificate sign(X500Principal subject, KeyPair of, Instant from, Instant until, byte[] extension)
            throws GeneralSecurityException, IOException {
        byte[] content = der(
                SEQUENCE,
                der(VERSION, der(INTEGER, new byte[] {2})),
                der(INTEGER, new BigInteger(63, RANDOM).toByteArray()),
                der(SEQUENCE, ECDSA_WITH_SHA256),
                name.getEncoded(),
                der(SEQUENCE, time(from), time(until)),
                subject.getEncoded(),
                of.getPublic().getEncoded(),
                der(EXTENSIONS, der(SEQUENCE, extension)));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(signed(content)));
    }

    private byte[] signed(byte[] content) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(content);
        return der(SEQUENCE, content, der(SEQUENCE, ECDSA_WITH_SHA256), der(BIT_STRING, new byte[1], signature.sign()));
    }

    private static byte[] time(Instant time) {
        return der(TIME, TIMES.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] octets(byte[] content) {
        return der(OCTET_STRING, content);
    }

    private static byte[] der(int tag, byte[]... parts) {
        byte[] content = join(parts);
        int length = content.length;
        byte[] head;
        if (length < 0x80) {
            head = new byte[] {(byte) tag, (byte) length};
        } else if (length < 0x100) {
            head = new byte[] {(byte) tag, (byte) 0x81, (byte) length};
        } else {
            head = new byte[] {(byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length};
        }
        return join(head, content);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }

    private Path write(String file, String label, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(file + ".pem"),
                "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n");
    }
}
