package io.weir.samples;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A test that gives the command {@code weir} as a user does, within this process, and reads what it prints. */
abstract class WeirCommand {

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    /** Returns the exit code. */
    final int weir(String... arguments) {
        return Weir.commandLine(arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
