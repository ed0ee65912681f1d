package io.weir.fabric.guest;

import java.rmi.NotBoundException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.Random;

/** A program that knows nothing but {@code java.rmi}: what a server offers. */
public interface Board extends Remote {

    byte[] reversed(byte[] bytes) throws RemoteException;

    /** Calls back for each number; the listener's answers, added up. */
    int tell(Listener listener, int times) throws RemoteException;

    /** The caller's object. */
    interface Listener extends Remote {
        int heard(int number) throws RemoteException;
    }

    /** Its server and the registry, until the standard input ends. */
    final class Server implements Board {

        private static final Server ONLY = new Server();

        private Server() {}

        public static void main(String[] arguments) throws Exception {
            int port = Integer.parseInt(arguments[0]);
            Registry registry = LocateRegistry.createRegistry(port);
            registry.rebind("board", UnicastRemoteObject.exportObject(ONLY, 0));
            System.out.println("SERVES " + port);
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
    }

    /** Its client. */
    final class Client {

        private Client() {}

        public static void main(String[] arguments) throws Exception {
            Registry registry = LocateRegistry.getRegistry("127.0.0.1", Integer.parseInt(arguments[0]));
            Board board = (Board) lookUp(registry);
            byte[] bytes = new byte[1 << 20];
            new Random(1).nextBytes(bytes);
            check(Arrays.equals(bytes, board.reversed(board.reversed(bytes))), "a large array");
            Listener listener = number -> 2 * number;
            Listener stub = (Listener) UnicastRemoteObject.exportObject(listener, 0);
            check(board.tell(stub, 20) == 380, "a callback");
            UnicastRemoteObject.unexportObject(listener, true);
            System.exit(0);
        }

        /** The server may have been started together with us, and be slower. */
        private static Remote lookUp(Registry registry) throws Exception {
            RemoteException failure = null;
            for (int attempt = 0; attempt < 900; attempt++) {
                try {
                    return registry.lookup("board");
                } catch (NotBoundException e) {
                    failure = new RemoteException("not yet", e);
                } catch (RemoteException e) {
                    failure = e;
                }
                Thread.sleep(100);
            }
            throw failure;
        }

        private static void check(boolean right, String what) {
            if (!right) {
                throw new AssertionError(what + " is wrong");
            }
        }
    }
}
