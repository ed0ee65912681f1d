package io.weir.transport.elan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.PeerUnavailable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ElanMembershipTest {

    private static final String CAPABILITY = "LIBELAN_ECAP0=0badcafe";

    private static ElanMembership of(String... assignments) {
        Map<String, String> environment = new HashMap<>();
        Arrays.stream(assignments).map(each -> each.split("=", 2)).forEach(each -> environment.put(each[0], each[1]));
        return ElanMembership.of(environment);
    }

    @Test
    void isReadAsItsStarterSaysIt() {
        ElanMembership expected = new ElanMembership("0badcafe", 3, 8);
        assertThat(of(CAPABILITY, "RMS_PROCID=3", "RMS_NPROCS=8")).isEqualTo(expected);
        assertThat(of("LIBELAN_ECAP=0badcafe", "PMI_RANK=3", "PMI_SIZE=8")).isEqualTo(expected);
        assertThat(of(CAPABILITY, "RMS_PROCID=3", "RMS_NPROCS=8", "PMI_RANK=1", "PMI_SIZE=2"))
                .isEqualTo(expected);
    }

    @Test
    void whoHasNoCapabilityIsToldHowToGetOne() {
        assertThatThrownBy(() -> of("RMS_PROCID=3", "RMS_NPROCS=8", "LIBELAN_ECAP0= "))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessage(
                        "this process was not started as one of a parallel job on QsNet: LIBELAN_ECAP0 and LIBELAN_ECAP"
                                + " are not set; start it with RMS's prun or ParaStation's mpiexec, which set them");
    }

    @Test
    void whoHasNoNumberIsToldWhatIsMissing() {
        assertThatThrownBy(() -> of(CAPABILITY, "RMS_PROCID=3", "PMI_SIZE=8"))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("neither RMS_PROCID and RMS_NPROCS nor PMI_RANK and PMI_SIZE are set");
    }

    @ParameterizedTest
    @CsvSource({
        "8, 8, RMS_PROCID=8, 0 to 7",
        "-1, 8, RMS_PROCID=-1, 0 to 7",
        "first, 8, RMS_PROCID=first, 0 to 7",
        "0, 0, RMS_NPROCS=0, 1 to 65536",
        "0, 70000, RMS_NPROCS=70000, 1 to 65536"
    })
    void whatCantBeIsNamed(String vp, String nvp, String told, String range) {
        assertThatThrownBy(() -> of(CAPABILITY, "RMS_PROCID=" + vp, "RMS_NPROCS=" + nvp))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining(told + ", which should be a number from " + range);
    }

    @Test
    void aDeviceIsSoughtBeforeTheLibraryIsCalled(@TempDir Path folder) {
        assertThatCode(() -> ElanMembership.checkDevice(folder.toString())).doesNotThrowAnyException();
        assertThatThrownBy(
                        () -> ElanMembership.checkDevice(folder.resolve("elan").toString()))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("(weir.transport.elan.device)");
    }

    @Test
    void jobsAreToldApart() {
        String ours = new ElanMembership("a", 0, 8).jobDigest("");
        assertThat(new ElanMembership("a", 5, 8).jobDigest("")).isEqualTo(ours);
        assertThat(new ElanMembership("b", 0, 8).jobDigest("")).isNotEqualTo(ours);
        assertThat(new ElanMembership("a", 0, 9).jobDigest("")).isNotEqualTo(ours);
        assertThat(new ElanMembership("a", 0, 8).jobDigest("named")).isNotEqualTo(ours);
        assertThat(new ElanMembership("b", 1, 8).jobDigest("named"))
                .isEqualTo(new ElanMembership("a", 0, 8).jobDigest("named"));
    }

    @Test
    void cardsOfTwoJobsSeparate() {
        ElanCard ours = new ElanCard(new ElanMembership("a", 0, 8).jobDigest(""));
        ElanCard theirs = new ElanCard(new ElanMembership("b", 0, 8).jobDigest(""));
        assertThat(ElanCard.decode(ours.encode())).isEqualTo(ours);
        assertThat(ours.separates(ours)).isNull();
        assertThat(ours.separates(theirs))
                .isEqualTo("it is not a process of the same parallel job, and Elan joins only those that were "
                        + "started together");
    }
}
