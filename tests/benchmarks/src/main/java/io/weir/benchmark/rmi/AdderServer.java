package io.weir.benchmark.rmi;

import java.io.IOException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;

/** Serves until its input ends. Says READY and the port of its registry, which it is given. */
public final class AdderServer {

    private AdderServer() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        Registry registry = LocateRegistry.createRegistry(port);
        Adder adder = number -> number + 1;
        registry.rebind("adder", UnicastRemoteObject.exportObject(adder, 0));
        System.out.println("READY " + port);
        while (System.in.read() >= 0) {
            // Whoever has started us is still there.
        }
        System.exit(0);
    }
}
