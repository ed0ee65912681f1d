package io.weir.transport.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GidTableTest {

    private static final String LOCAL = "fe80:0000:0000:0000:74b4:e3ff:fe73:d3d7";
    private static final String IPV4 = "0000:0000:0000:0000:0000:ffff:0a63:0001";
    private static final String IPV6 = "2001:0db8:0000:0000:0000:0000:0000:0001";
    private static final String NONE = "0000:0000:0000:0000:0000:0000:0000:0000";
    private static final String V1 = "IB/RoCE v1";
    private static final String V2 = "RoCE v2";

    @TempDir
    Path folder;

    private int length;

    private void add(String gid, String type) throws IOException {
        Files.createDirectories(folder.resolve("gids"));
        Files.createDirectories(folder.resolve("gid_attrs/types"));
        String index = Integer.toString(length++);
        Files.writeString(folder.resolve("gids").resolve(index), gid + "\n");
        if (!type.isEmpty()) {
            Files.writeString(folder.resolve("gid_attrs/types").resolve(index), type + "\n");
        }
    }

    private GidTable.Entry best() {
        return new GidTable(folder, length).best();
    }

    @Test
    void version2OfIpv4IsBest() throws IOException {
        add(LOCAL, V1);
        add(LOCAL, V2);
        add(IPV6, V2);
        add(IPV4, V1);
        add(IPV4, V2);
        add(IPV4, V2);
        assertThat(best()).isEqualTo(new GidTable.Entry(4, Gid.parse(IPV4), "v2-ipv4"));
    }

    @Test
    void ipv6IsBetterThanWhatIsNotRouted() throws IOException {
        add(LOCAL, V2);
        add(IPV4, V1);
        add(IPV6, V2);
        assertThat(best()).isEqualTo(new GidTable.Entry(2, Gid.parse(IPV6), "v2-ipv6"));
    }

    @Test
    void version1IsBetterThanNothing() throws IOException {
        add(NONE, "");
        add(IPV4, V1);
        assertThat(best()).isEqualTo(new GidTable.Entry(1, Gid.parse(IPV4), "v1"));
        add(LOCAL, V2);
        assertThat(best()).isEqualTo(new GidTable.Entry(2, Gid.parse(LOCAL), "v2-local"));
    }

    @Test
    void whatIsNotThereIsNotTaken() throws IOException {
        assertThat(best()).isNull();
        add(NONE, "");
        add(NONE, V2);
        add("nonsense", V2);
        add("0a63:0001", V2);
        add(IPV4, "");
        length += 3;
        assertThat(best()).isNull();
    }

    @Test
    void aGidSaysWhatItIs() {
        assertThat(Gid.parse(IPV4).isIpv4()).isTrue();
        assertThat(Gid.parse(IPV6).isIpv4()).isFalse();
        assertThat(Gid.parse(LOCAL).isLinkLocal()).isTrue();
        assertThat(Gid.parse(IPV4).isLinkLocal()).isFalse();
        assertThat(Gid.parse(NONE).isZero()).isTrue();
        assertThat(Gid.parse("ff02:0000:0000:0000:0000:0000:0000:0001").isMulticast())
                .isTrue();
        assertThat(Gid.parse(LOCAL).isMulticast()).isFalse();
        assertThat(Gid.parse(IPV4)).hasToString("00000000000000000000ffff0a630001");
    }
}
