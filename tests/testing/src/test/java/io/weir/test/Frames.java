package io.weir.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program that sends and receives frames which tell whether they are damaged. */
final class Frames implements AutoCloseable {

    static final String P4SOCK = "0814";
    static final String OTHERS = "88b5";

    private final Path program;
    private final List<Receiver> receivers = new ArrayList<>();

    private Frames(Path program) {
        this.program = program;
    }

    static Frames in(Path folder) throws InterruptedException {
        return new Frames(CProgram.compiled(Frames.class, "frames.c", folder));
    }

    /** Sends them one after another, and returns what was said of that. */
    String send(Networks.Port from, String type, int count, int bytes, int micros) {
        return Wanted.said(from.host()
                        .command(List.of(
                                program.toString(),
                                "send",
                                from.name(),
                                type,
                                Integer.toString(count),
                                Integer.toString(bytes),
                                Integer.toString(micros))))
                .strip();
    }

    Receiver receiver(Networks.Port at) throws IOException {
        Process process = new ProcessBuilder(at.host().command(List.of(program.toString(), "receive", at.name())))
                .redirectErrorStream(true)
                .start();
        Receiver receiver = new Receiver(process);
        receivers.add(receiver);
        assertThat(receiver.line()).isEqualTo("READY");
        return receiver;
    }

    @Override
    public void close() {
        receivers.forEach(Receiver::end);
    }

    /**
     * What has come: all; those that were damaged, came for the second time, or came behind later ones; a sum that
     * tells which came; the times under way.
     */
    record Result(
            long frames, long damaged, long twice, long late, String which, long shortestNanos, long middleNanos) {}

    static final class Receiver {

        private final Process process;
        private final BufferedReader answers;
        private final Writer orders;

        private Receiver(Process process) {
            this.process = process;
            this.answers = process.inputReader(StandardCharsets.UTF_8);
            this.orders = process.outputWriter(StandardCharsets.UTF_8);
        }

        private String line() throws IOException {
            return String.valueOf(answers.readLine());
        }

        Result result() {
            try {
                orders.write("?\n");
                orders.flush();
                Map<String, String> values = new HashMap<>();
                String line = line();
                assertThat(line).startsWith("RESULT ");
                for (String word : line.split(" ")) {
                    int at = word.indexOf('=');
                    if (at > 0) {
                        values.put(word.substring(0, at), word.substring(at + 1));
                    }
                }
                return new Result(
                        Long.parseLong(values.getOrDefault("frames", "")),
                        Long.parseLong(values.getOrDefault("damaged", "")),
                        Long.parseLong(values.getOrDefault("twice", "")),
                        Long.parseLong(values.getOrDefault("late", "")),
                        values.getOrDefault("which", ""),
                        Long.parseLong(values.getOrDefault("shortest", "")),
                        Long.parseLong(values.getOrDefault("middle", "")));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /** When so many have come. */
        Result result(long frames) {
            Wanted.until(() -> frames + " frames; there are " + result(), () -> result().frames >= frames);
            return result();
        }

        private void end() {
            process.destroy();
            try {
                assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
