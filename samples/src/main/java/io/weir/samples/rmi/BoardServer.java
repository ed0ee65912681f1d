package io.weir.samples.rmi;

import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.ExportException;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.ThreadLocalRandom;

/** The server and its registry, at a port that it tells. Runs until its standard input ends. */
public final class BoardServer implements Board {

    /** Kept from the garbage collector, and the registry as well. */
    private static final BoardServer ONLY = new BoardServer();

    private BoardServer() {}

    public static void main(String[] arguments) throws Exception {
        Registry registry = null;
        int port = Registry.REGISTRY_PORT;
        while (registry == null) {
            try {
                registry = LocateRegistry.createRegistry(port);
            } catch (ExportException e) {
                // Somebody else has the port.
                port = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            }
        }
        registry.rebind("board", UnicastRemoteObject.exportObject(ONLY, 0));
        System.out.println("serves at port " + port);
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        System.exit(0);
    }

    @Override
    public byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    @Override
    public int tell(Listener listener, int times) throws RemoteException {
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += listener.heard(i);
        }
        return sum;
    }

    @Override
    public void refuse(String reason) throws Refused {
        throw new Refused(reason);
    }
}
