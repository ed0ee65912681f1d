package io.weir.benchmark.rmi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.rmi.NotBoundException;
import java.rmi.registry.LocateRegistry;

/** Calls for as many milliseconds as each line of its input says, and says how often that was in a second. */
public final class AdderClient {

    private AdderClient() {}

    public static void main(String[] arguments) throws IOException, NotBoundException {
        int port = Integer.parseInt(arguments[0]);
        Adder adder = (Adder) LocateRegistry.getRegistry("127.0.0.1", port).lookup("adder");
        System.out.println("READY " + port);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            System.out.println("CALLS " + rate(adder, Long.parseLong(line) * 1_000_000));
        }
        System.exit(0);
    }

    private static double rate(Adder adder, long nanos) throws IOException {
        long begun = System.nanoTime();
        long number = 0;
        long passed = 0;
        while (passed < nanos) {
            for (int i = 0; i < 16; i++) {
                long next = adder.next(number);
                if (next != number + 1) {
                    throw new IOException(number + " was followed by " + next);
                }
                number = next;
            }
            passed = System.nanoTime() - begun;
        }
        return number * 1e9 / passed;
    }
}
