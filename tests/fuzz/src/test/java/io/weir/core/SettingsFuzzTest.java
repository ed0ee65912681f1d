package io.weir.core;

import static io.weir.fuzz.Hostile.check;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Addresses, networks, sizes and times, as people and peers write them: each text is read or refused with one that
 * helps, and what was read is written in a form that reads alike.
 */
class SettingsFuzzTest {

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "tcp://host:7000",
                        "[::1]:65535",
                        "unix:/run/a b",
                        "tcp://[fe80::1%eth0]:0",
                        "unix:/a\u001b\n",
                        "a\u001bb:65536",
                        "host:999999999",
                        "a:b:1",
                        "10.1.0.0/16",
                        "::ffff:10.0.0.0/8",
                        "fd00::/128",
                        "64 KiB",
                        "8m",
                        "9007199254740991k",
                        "999999999999999999t",
                        "500ms",
                        " 999999999 H ",
                        "on",
                        "FALSE",
                        "\u0661\u0662s")
                .map(text -> text.getBytes(UTF_8));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsReadIsWrittenSoThatItReadsAlike(byte[] input) {
        String text = new String(input, UTF_8);
        address(text);
        size(text);
        time(text);
        try {
            boolean flag = SettingText.flag(text);
            check(
                    text.strip().equalsIgnoreCase(flag ? "on" : "off")
                            || text.strip().equalsIgnoreCase("" + flag),
                    text);
        } catch (IllegalArgumentException e) {
            check("a switch: write on or off".equals(e.getMessage()), e);
        }
        Network network = Network.read(text);
        if (network != null) {
            Network again = Network.read(network.toString());
            check(again != null && again.toString().equals(network.toString()), network);
        }
    }

    private static void address(String text) {
        PeerAddress address;
        try {
            address = PeerAddress.parse(text);
        } catch (Misconfigured e) {
            String reason = String.valueOf(e.getMessage());
            check(reason.equals(ForeignText.harmless(reason)), reason);
            check(reason.contains("port") || reason.contains("write"), reason);
            return;
        }
        check(PeerAddress.parse(address.toString()).equals(address), address);
        check(!address.isAnyHost() || !address.isUnix(), address);
    }

    private static void size(String text) {
        long size;
        try {
            size = SettingText.size(text);
        } catch (IllegalArgumentException e) {
            check(String.valueOf(e.getMessage()).startsWith("a size: write"), e);
            return;
        }
        check(size >= 0 && SettingText.size(SettingText.ofSize(size)) == size, text);
    }

    private static void time(String text) {
        Duration time;
        try {
            time = SettingText.time(text);
        } catch (IllegalArgumentException e) {
            check(String.valueOf(e.getMessage()).startsWith("a time: write"), e);
            return;
        }
        String written = SettingText.of(time);
        check(!time.isNegative() && SettingText.time(written).equals(time), text + " is written as " + written);
    }
}
