package io.weir.transport.gm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.Availability;
import io.weir.core.PeerUnavailable;
import io.weir.core.ProtocolMismatch;
import io.weir.test.EmulatedLibrary;
import io.weir.transport.rdma.Soon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;

@ExtendWith(Emulation.class)
class GmTransportOnEmulation {

    private static String missing(Map<String, String> options) {
        return ((Availability.Missing) new GmTransport().availability(Emulation.settings(options))).reason();
    }

    @Test
    void saysWhatItWouldUse() {
        Availability here = new GmTransport().availability(Emulation.settings(Map.of()));
        assertThat(here)
                .isEqualTo(new Availability.Ready("1", "board 0, port 2, node 1, 61 send tokens, 254 receive tokens"));
    }

    @Test
    void saysWhyAPortCantBeHad() {
        String remedy = "; gm_board_info shows which boards there are, and who uses their ports";
        assertThat(missing(Map.of("board", "3")))
                .isEqualTo("no port of a Myrinet board can be opened: there is no such board (status 24)" + remedy);
        assertThat(missing(Map.of("port", "3")))
                .isEqualTo("no port of a Myrinet board can be opened: it is used by somebody else (status 5)" + remedy);
    }

    @Test
    void saysWhyTheLibraryCantBeUsed() {
        assertThat(missing(Map.of("library", "/nowhere/libgm.so")))
                .isEqualTo(
                        "the library of GM can't be used (there is no /nowhere/libgm.so): install Myrinet's GM, or say"
                                + " where it is with weir.transport.gm.library");
        assertThat(missing(Map.of("library", "/etc/passwd")))
                .startsWith("the library of GM can't be used (/etc/passwd: ");
    }

    @Test
    void saysWhatTheLibraryNeedsAndDoesNotFind(@TempDir Path folder) throws IOException, InterruptedException {
        Path gone = folder.resolve("libgone.so");
        Files.move(EmulatedLibrary.GM.compiled(folder), gone);
        Path library = EmulatedLibrary.GM.compiled(folder, "-Wl,--no-as-needed", "-L" + folder, "-lgone");
        Files.delete(gone);
        assertThat(missing(Map.of("library", library.toString())))
                .startsWith("the library of GM can't be used (" + library + ": libgone.so: ");
    }

    @Test
    void theNextPortIsTakenWhereOneIsUsed() {
        GmPort first = GmPort.acquire(Emulation.options().choice());
        GmPort second = GmPort.acquire(
                GmOptions.of(Emulation.settings(Map.of("slot-size", "100k"))).choice());
        assertThat(first).hasToString("board 0, port 2");
        assertThat(second).hasToString("board 0, port 4");
        second.release();
        first.release();
    }

    @Test
    void theSamePortCanBeOpenedAgainAtOnce() {
        GmOptions.Choice choice =
                GmOptions.of(Emulation.settings(Map.of("port", "6"))).choice();
        for (int round = 0; round < 20; round++) {
            GmPort port = GmPort.acquire(choice);
            assertThat(port).hasToString("board 0, port 6");
            port.release();
        }
    }

    /** It sleeps in the library, which lets go of nobody unasked. */
    @Test
    void aPortCanBeClosedWhoseThreadSleeps() {
        GmHalf half = GmHalf.open(Emulation.options());
        assertThat(half.wire().arm()).isTrue();
        Soon.until(() -> Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().startsWith("weir-gm-"))
                .flatMap(each -> Stream.of(each.getValue()))
                .anyMatch(frame -> frame.getMethodName().equals("unknown")));
        half.wire().close(half::close);
    }

    @Test
    void whoListensHoldsThePort() {
        Disposable listening =
                new GmTransport().reports(Emulation.settings(Map.of())).subscribe();
        Soon.until(() -> GmPort.open() == 1);
        listening.dispose();
        Soon.until(() -> GmPort.open() == 0);
    }

    @Test
    void aHostThatIsUnknownIsNotReached() {
        GmHalf half = GmHalf.open(Emulation.options());
        var unused = half.read(new GmOffer(60, 2, 77, half.plan()).encode());
        assertThatThrownBy(half::join)
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("the peer's port is closed: its process has ended (status 17)");
        half.wire().close(half::close);
    }

    @Test
    void aNumberThatIsNoHostsIsRefused() {
        GmHalf half = GmHalf.open(Emulation.options());
        var unused = half.read(new GmOffer(5000, 2, 77, half.plan()).encode());
        assertThatThrownBy(half::join)
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("no route is known to the node 5000");
        half.wire().close(half::close);
    }

    @Test
    void offersThatAreNoneAreRefused() {
        byte[] sound = new GmOffer(1, 2, 77, Emulation.options().memory().plan()).encode();
        assertThat(GmOffer.decode(sound).link()).isEqualTo(77);
        for (int at : new int[] {0, 4, 8, 12, 16, 24, 28}) {
            byte[] wrong = sound.clone();
            for (int i = at; i < at + 4; i++) {
                wrong[i] = at == 0 || at == 4 || at == 28 ? (byte) 7 : 0;
            }
            assertThatThrownBy(() -> GmOffer.decode(wrong)).as("at " + at).isInstanceOf(ProtocolMismatch.class);
        }
    }
}
