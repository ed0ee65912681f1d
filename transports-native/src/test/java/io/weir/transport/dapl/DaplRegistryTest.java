package io.weir.transport.dapl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.transport.dapl.DaplRegistry.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DaplRegistryTest {

    private static final String LINE = " u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 \"port0 0\" \"\"\n";

    @TempDir
    Path folder;

    private DaplRegistry registry(String text) throws IOException {
        return DaplRegistry.read(Files.writeString(folder.resolve("dat.conf"), text));
    }

    @Test
    void namesTheAdaptersInTheirOrder() throws IOException {
        DaplRegistry registry =
                registry("# a comment that names one u2.0 threadsafe default libother.so.1 x \"\" \"\"\n\n"
                        + "ofa-v2-mlx4_0-1" + LINE
                        + "  OpenIB-cma u1.2 nonthreadsafe default libdaplcma.so.1 dapl.1.2 \"ib0 0\" \"\"\n"
                        + "scm\tu2.0 threadsafe default /opt/lib/libdaploscm.so.2 dapl.2.0 \"mlx4_0 1\" \"\"\r\n"
                        + "ucm u2.0 nonthreadsafe default libdaploucm.so.2 dapl.2.0 \"mlx4_0 1\" \"\"\n"
                        + "later u2.1 nonthreadsafe default libdat+own.so.1 own.1 \"\" \"\"\n"
                        + "\"other\" u2.0 nonthreadsafe default \"/opt/my libs/libdat+own.so.1\" own.1\n"
                        + "quoted u2.0 \"threadsafe\" default \"libdaplofa.so.2\" dapl.2.0 \"ib0 0\" \"\"\n"
                        + "half u2.0 nonthreadsafe\n"
                        + "wrong word u2.0 nonthreadsafe default lib.so x\n");
        assertThat(registry.entries())
                .containsExactly(
                        new Entry("ofa-v2-mlx4_0-1", false, "rdma-cm", "port0"),
                        new Entry("scm", true, "sockets", "mlx4_0"),
                        new Entry("ucm", false, "datagrams", "mlx4_0"),
                        new Entry("other", false, "libdat-own-so-1", ""),
                        new Entry("quoted", true, "rdma-cm", "ib0"));
        assertThat(registry.older()).isEqualTo(1);
        assertThatThrownBy(() -> registry.candidates("OpenIB-cma", folder))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("weir.transport.dapl.adapter=OpenIB-cma is not in the registry of uDAPL")
                .hasMessageContaining("ofa-v2-mlx4_0-1, scm, ucm, other, quoted");
    }

    @Test
    void onlyThoseWhoseDeviceIsHereAreTried() throws IOException {
        DaplRegistry registry = registry("netdev" + LINE
                + "device u2.0 nonthreadsafe default libdaploscm.so.2 dapl.2.0 \"mlx5_0 1\" \"\"\n"
                + "up u2.0 nonthreadsafe default libdaploscm.so.2 dapl.2.0 \"../net 1\" \"\"\n"
                + "none u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 \"\" \"\"\n");
        assertThatThrownBy(() -> registry.candidates("", folder))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("names no adapter whose device is here (netdev is on 'port0')");
        Files.createDirectories(folder.resolve("net/port0"));
        assertThat(registry.candidates("", folder)).extracting(Entry::name).containsExactly("netdev");
        assertThatThrownBy(() -> registry.candidates("device", folder))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("device is on 'mlx5_0'");
        Files.createDirectories(folder.resolve("infiniband/mlx5_0"));
        assertThat(registry.candidates("", folder)).extracting(Entry::name).containsExactly("netdev", "device");
        assertThat(registry.candidates("device", folder))
                .extracting(Entry::name)
                .containsExactly("device");
        String others = """
                ip u2.0 nonthreadsafe default libdaplofa.so.2 x "10.0.0.1 0" ""
                mcm u2.0 nonthreadsafe default libdaplomcm.so.2 x "mlx4_9 1" ""
                mic u2.0 nonthreadsafe default libdaplofa.so.2 x "mic0:ib 1" ""
                name u2.0 nonthreadsafe default libdaplofa.so.2 x "host.example 1" ""
                long u2.0 nonthreadsafe default libdaplofa.so.2 x "fe80::1 1" ""
                own u2.0 nonthreadsafe default libown.so x "" ""
                """;
        assertThat(registry(others).candidates("", folder))
                .extracting(Entry::name)
                .containsExactly("ip", "long", "own");
    }

    @Test
    void saysWhyThereIsNone() throws IOException {
        assertThatThrownBy(() -> DaplRegistry.read(folder.resolve("none")))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("there is no registry of uDAPL, " + folder.resolve("none"))
                .hasMessageContaining("libdapl2")
                .hasMessageContaining("DAT_OVERRIDE");
        assertThatThrownBy(() -> DaplRegistry.read(folder))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("can't be read");
        assertThatThrownBy(() -> DaplRegistry.read(Path.of("/dev/zero")))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("can't be read")
                .hasMessageContaining("not a file");
        assertThatThrownBy(() -> registry("# nothing\n").candidates(""))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("names no adapter");
        assertThatThrownBy(() ->
                        registry("old u1.2 threadsafe default libdapl.so x\n").candidates(""))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("of uDAPL 1 only, which is not supported");
        assertThatThrownBy(() -> registry("#".repeat(2 << 20)))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("longer than");
    }

    @Test
    void olderStacksAreNamed() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        List<Path> folders = List.of(folder.resolve("none"), folder, other);
        assertThat(OldStacks.remark(folders)).isEmpty();
        Files.createFile(other.resolve("libvapi.so"));
        assertThat(OldStacks.remark(folders)).contains("VAPI (libvapi.so)", "not supported", "libibverbs");
        Files.createFile(folder.resolve("libdat.so.1"));
        assertThat(OldStacks.remark(folders)).contains("uDAPL 1.2 (libdat.so.1)", "not supported", "uDAPL 2.0");
        Files.createFile(other.resolve("libdat2.so.2"));
        assertThat(OldStacks.remark(folders)).isEmpty();
    }

    @Test
    void aCardTellsHowItConnects() {
        assertThat(new DaplCard("rdma-cm").encode()).isEqualTo("1 rdma-cm");
        assertThat(DaplCard.decode("1 rdma-cm")).isEqualTo(new DaplCard("rdma-cm"));
        assertThat(new DaplCard("sockets").separates(new DaplCard("sockets"))).isNull();
        assertThat(new DaplCard("sockets").separates(new DaplCard("rdma-cm")))
                .contains("connects by rdma-cm, and ours by sockets", "weir.transport.dapl.adapter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1 ", "2 rdma-cm", "1 rdma cm", "x rdma-cm", "1 \n", "99999 rdma-cm"})
    void anyCardIsReadOrRefused(String card) {
        assertThatThrownBy(() -> DaplCard.decode(card)).isInstanceOf(ProtocolMismatch.class);
    }
}
