package io.weir.samples.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The command {@code ip} of Linux, which makes and cuts networks. */
public final class Ip {

    private final String program;

    /**
     * That of the PATH, or another one.
     *
     * @param program its name or path
     */
    public Ip(String program) {
        this.program = program;
    }

    /**
     * Runs it to its end.
     *
     * @throws ProgramFailed with what it said, if it is not there or fails
     */
    public void run(String... arguments) {
        List<String> command = command(arguments);
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new ProgramFailed("'" + String.join(" ", command) + "', which needs root on Linux, failed: "
                        + said.strip().lines().findFirst().orElse("it said nothing"));
            }
        } catch (IOException e) {
            throw new ProgramFailed(
                    "The command ip, of the package iproute2, makes the networks, and can't be run: " + e.getMessage(),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProgramFailed("Interrupted while " + program + " was running.", e);
        }
    }

    /** With these arguments. */
    public List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(program);
        command.addAll(List.of(arguments));
        return command;
    }
}
