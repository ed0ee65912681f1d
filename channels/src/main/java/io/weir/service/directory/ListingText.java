package io.weir.service.directory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import io.weir.core.PeerId;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Listing} as it is kept where others read it: lines of words between blanks, each word encoded as in a form's
 * URL.
 *
 * <pre>
 * weir-directory 1
 * node id name incarnation host since
 * address a          (each)
 * attribute key value      (each)
 * service name port password      (each, followed by what belongs to it)
 * service-address a
 * service-path path
 * service-attribute key value
 * end
 * </pre>
 *
 * Lines that begin with another word are passed over: a later version may have more to say.
 */
final class ListingText {

    /** Bytes of the longest one: some hundred services. Everybody reads everybody's. */
    static final int LONGEST = 16 << 10;

    /** Of a node, and of a service: a node that wants to connect tries them all. */
    private static final int MOST_ADDRESSES = 64;

    private static final String HEAD = "weir-directory 1";
    private static final String END = "end";

    private final List<PeerAddress> addresses = new ArrayList<>();
    private final Map<String, String> attributes = new HashMap<>();
    private final List<Part> services = new ArrayList<>();
    private @Nullable PeerId id;
    private String host = "";
    private Instant since = Instant.EPOCH;

    /** A service that is being read. */
    private record Part(
            String name,
            String port,
            boolean password,
            List<PeerAddress> addresses,
            List<String> paths,
            Map<String, String> attributes) {

        ServiceInstance of(PeerId node) {
            return new ServiceInstance(name, node, addresses, port, password, paths, attributes);
        }
    }

    private ListingText() {}

    /** @throws Misconfigured if it is too long */
    static byte[] write(Listing listing) {
        StringBuilder text = new StringBuilder(HEAD).append('\n');
        Member member = listing.member();
        PeerId id = member.id();
        line(
                text,
                "node",
                id.id(),
                id.name(),
                id.incarnation(),
                member.host(),
                member.since().toEpochMilli());
        member.addresses().forEach(address -> line(text, "address", address));
        member.attributes().forEach((key, value) -> line(text, "attribute", key, value));
        listing.services().forEach(service -> service(text, service));
        byte[] bytes = text.append(END).append('\n').toString().getBytes(UTF_8);
        if (bytes.length > LONGEST) {
            throw new Misconfigured("what " + id + " tells of itself and its "
                    + listing.services().size()
                    + " services has " + bytes.length + " bytes, and " + LONGEST
                    + " is the most: give them fewer or shorter attributes");
        }
        return bytes;
    }

    private static void service(StringBuilder text, ServiceInstance service) {
        line(text, "service", service.service(), service.port(), service.password());
        service.addresses().forEach(address -> line(text, "service-address", address));
        service.paths().forEach(path -> line(text, "service-path", path));
        service.attributes().forEach((key, value) -> line(text, "service-attribute", key, value));
    }

    private static void line(StringBuilder text, String first, Object... words) {
        text.append(first);
        for (Object word : words) {
            text.append(' ').append(URLEncoder.encode(word.toString(), UTF_8));
        }
        text.append('\n');
    }

    /** @throws IllegalArgumentException if it is too long */
    static void checkLength(byte[] bytes) {
        if (bytes.length > LONGEST) {
            throw new IllegalArgumentException("it has more than " + LONGEST + " bytes");
        }
    }

    /** @throws IllegalArgumentException telling what is wrong with it, whatever the bytes are */
    static Listing read(byte[] bytes) {
        checkLength(bytes);
        String[] lines = text(bytes).split("\n", -1);
        if (!lines[0].equals(HEAD)) {
            throw new IllegalArgumentException("it does not begin with " + HEAD);
        }
        if (lines.length < 3 || !lines[lines.length - 2].equals(END) || !lines[lines.length - 1].isEmpty()) {
            throw new IllegalArgumentException("it does not end as it should");
        }
        ListingText reading = new ListingText();
        for (int at = 1; at < lines.length - 2; at++) {
            reading.take(at + 1, lines[at].split(" ", -1));
        }
        return reading.listing();
    }

    private static String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("it is no text", e);
        }
    }

    private void take(int number, String[] words) {
        try {
            take(words);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("line " + number + " makes no sense", e);
        }
    }

    private void take(String[] words) {
        switch (words[0]) {
            case "node" -> {
                id = new PeerId(UUID.fromString(words[1]), name(words[2]), Long.parseLong(words[3]));
                host = name(words[4]);
                since = Instant.ofEpochMilli(Long.parseLong(words[5]));
            }
            case "address" -> add(addresses, words[1]);
            case "attribute" -> attributes.put(word(words[1]), word(words[2]));
            case "service" ->
                services.add(new Part(
                        name(words[1]),
                        name(words[2]),
                        Boolean.parseBoolean(words[3]),
                        new ArrayList<>(),
                        new ArrayList<>(),
                        new HashMap<>()));
            case "service-address" -> add(last().addresses(), words[1]);
            case "service-path" -> last().paths().add(name(words[1]));
            case "service-attribute" -> last().attributes().put(word(words[1]), word(words[2]));
            default -> {
                // Of a later version.
            }
        }
    }

    private static void add(List<PeerAddress> addresses, String encoded) {
        if (addresses.size() >= MOST_ADDRESSES) {
            throw new IllegalArgumentException("there are more than " + MOST_ADDRESSES + " addresses");
        }
        addresses.add(PeerAddress.parse(word(encoded)));
    }

    private Part last() {
        return services.get(services.size() - 1);
    }

    private static String word(String encoded) {
        return URLDecoder.decode(encoded, UTF_8);
    }

    private static String name(String encoded) {
        String name = word(encoded);
        Names.check("it", name);
        return name;
    }

    private Listing listing() {
        if (id == null) {
            throw new IllegalArgumentException("it names no node");
        }
        PeerId node = id;
        return new Listing(
                new Member(node, host, addresses, attributes, since),
                services.stream().map(part -> part.of(node)).toList());
    }
}
