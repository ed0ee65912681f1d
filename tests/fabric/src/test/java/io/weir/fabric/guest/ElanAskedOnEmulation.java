package io.weir.fabric.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.transport.elan.Asking;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Libraries that are not quite as they are known, and processes that are none of a job: each in a process of its own.
 */
@ExtendWith(DeviceCheck.class)
class ElanAskedOnEmulation {

    private static String answer(Map<String, String> environment, String... options)
            throws IOException, InterruptedException {
        try (Program asking = Program.start(Jvm.command(Asking.class, options), environment)) {
            return asking.says("answer");
        }
    }

    @Test
    void saysWhoItIs() throws IOException, InterruptedException {
        assertThat(answer(Map.of("RMS_PROCID", "7", "RMS_NPROCS", "9")))
                .startsWith("Ready[")
                .contains("vp 7, nvp 9, ", "1.4.8 (emulated)");
    }

    /** Each process of the emulation has its state elsewhere; here at the ends of where is looked. */
    @ParameterizedTest
    @CsvSource({"ELANEMU_STATE_OFFSET, 0", "ELANEMU_STATE_OFFSET, 2024", "ELANEMU_VP_OFFSET, 8", "ELANEMU_VP_OFFSET, 56"
    })
    void findsTheStateWhereverItIs(String setting, String value) throws IOException, InterruptedException {
        assertThat(answer(Map.of(setting, value))).startsWith("Ready[");
    }

    @ParameterizedTest
    @CsvSource({
        "ELANEMU_STATE_OFFSET, none, none of 2 that could be it does",
        "ELANEMU_TWICE, 1, 2 of them do",
        "ELANEMU_DEAF, 1, elan_put to this process itself is not done after 5 s",
        "ELANEMU_REQUIRE_GALLOC, 1, the adapter can't use ordinary memory",
        "ELANEMU_BARRIER, 1, elan_baseInit has not come back for 10 s: it waits for the other processes of the job",
        "RMS_PROCID, 5000, 'RMS_PROCID=5000, which should be a number from 0 to 4095'"
    })
    void saysWhatIsNotAsItIsKnown(String setting, String value, String told) throws IOException, InterruptedException {
        assertThat(answer(Map.of(setting, value))).contains(told);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/nowhere/libelan.so", "/etc/passwd"})
    void saysWhyTheLibraryCantBeUsed(String library) throws IOException, InterruptedException {
        assertThat(answer(Map.of(), "library", library))
                .startsWith("Missing[reason=the library of QsNet can't be used (")
                .contains(library, "weir.transport.elan.library");
    }

    @Test
    void callsNothingWithoutAnAdapter() throws IOException, InterruptedException {
        assertThat(answer(Map.of(), "device", "/nowhere"))
                .contains("there is no /nowhere (weir.transport.elan.device)");
    }

    @Test
    void callsNothingWithoutACapability() throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(Map.of("LIBELAN_ECAP0", ""));
        assertThat(answer(environment)).contains("this process was not started as one of a parallel job on QsNet");
    }
}
