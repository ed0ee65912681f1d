package io.weir.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Misconfigured;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KnownPathsTest {

    private static final KnownPaths STANDARD = KnownPaths.of(Map.of());
    private static final KnownPaths WITH_PIGEONS = KnownPaths.of(Map.of("pigeon", new PigeonTransport()));

    @ParameterizedTest
    @CsvSource({
        "myrinet, gm",
        "Myrinet, gm",
        "infiniband, verbs",
        "InfiniBand, verbs",
        "ib, verbs",
        "rdma, verbs",
        "roce, verbs",
        "sharedmemory, shm",
        "shared-memory, shm",
        "shared_memory, shm",
        "sysv, shm",
        "qsnet, elan",
        "QsNet, elan",
        "ethernet, p4sock",
        "p4s, p4sock",
        "udapl, dapl",
        "socket, tcp",
        "sockets, tcp",
        "TCP, tcp",
        "tpc, tcp",
        "smh, shm",
        "verb, verbs",
        "locale, local",
        "p4sok, p4sock"
    })
    void refusesAWrongNameWithTheRightOne(String wrong, String right) {
        assertThatThrownBy(() -> STANDARD.check("weir.transport.order", wrong))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.transport.order names '" + wrong + "', which is no path; did you mean " + right
                        + "? Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp");
    }

    @Test
    void refusesWhatResemblesNothingWithTheKnownOnes() {
        assertThatThrownBy(() -> STANDARD.check("weir.transport.order", "carrier-pigeon"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.transport.order names 'carrier-pigeon', which is no path."
                        + " Known: local, shm, verbs, dapl, gm, p4sock, elan, tcp");
    }

    @Test
    void knowsThePathsOfForeignJars() {
        assertThat(WITH_PIGEONS.names())
                .containsExactly("local", "shm", "verbs", "dapl", "gm", "p4sock", "elan", "tcp", "pigeon");
        assertThat(WITH_PIGEONS.nearest("pidgeon")).isEqualTo("pigeon");
    }

    @Test
    void takesTheOptionsOfAnAdapter() {
        assertThatCode(() -> WITH_PIGEONS.checkOption("weir.transport.pigeon.speed", "pigeon", "speed"))
                .doesNotThrowAnyException();
    }

    @Test
    void refusesAnUnknownOptionWithTheNearest() {
        assertThatThrownBy(() -> WITH_PIGEONS.checkOption("weir.transport.pigeon.loftsize", "pigeon", "loftsize"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.transport.pigeon.loftsize is no option of pigeon;"
                        + " did you mean weir.transport.pigeon.loft-size? Known: loft-size, speed");
    }

    @Test
    void refusesOptionsOfAPathWithoutAdapter() {
        assertThatThrownBy(() -> STANDARD.checkOption("weir.transport.gm.port", "gm", "port"))
                .isInstanceOf(Misconfigured.class)
                .hasMessage("weir.transport.gm.port can't be used: no adapter for gm is on the class path;"
                        + " add its jar or remove the setting");
    }
}
