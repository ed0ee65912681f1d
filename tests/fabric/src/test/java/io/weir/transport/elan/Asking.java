package io.weir.transport.elan;

import io.weir.core.Availability;
import java.util.Map;

/** A process that asks once whether it can use the path, as one that has joined its job can't do so anew. */
public final class Asking {

    private Asking() {}

    public static void main(String[] options) {
        Map<String, String> told = options.length == 0 ? Map.of() : Map.of(options[0], options[1]);
        Availability availability = new ElanTransport().availability(Emulation.settings(told));
        System.out.println("answer " + availability);
        System.exit(0);
    }
}
