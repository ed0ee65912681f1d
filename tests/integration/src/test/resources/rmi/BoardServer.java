import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.ExportException;
import java.rmi.server.UnicastRemoteObject;
import java.rmi.server.Unreferenced;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A server and its registry, at a port that it tells. */
public final class BoardServer implements Board {

    private static Registry registry;
    private static BoardServer server;

    private final Set<String> given = ConcurrentHashMap.newKeySet();

    public static void main(String[] arguments) throws Exception {
        int port = 0;
        Random random = new Random();
        while (registry == null) {
            port = 10_000 + random.nextInt(10_000);
            try {
                registry = LocateRegistry.createRegistry(port);
            } catch (ExportException e) {
                // Somebody else has the port.
            }
        }
        server = new BoardServer();
        registry.rebind("board", UnicastRemoteObject.exportObject(server, 0));
        System.out.println("READY tcp://127.0.0.1:" + port);
        while (System.in.read() >= 0) {
            // Until whoever has started us is gone.
        }
        System.exit(0);
    }

    @Override
    public String echo(String text) {
        return text;
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
    public int sum(int from, int to) {
        int sum = 0;
        for (int i = from; i <= to; i++) {
            sum += i;
        }
        return sum;
    }

    @Override
    public void refuse(String reason) throws Refusal {
        throw new Refusal(reason);
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
    public Ticket ticket(String name) throws RemoteException {
        PaperTicket ticket = new PaperTicket(name);
        UnicastRemoteObject.exportObject(ticket, 0);
        return ticket;
    }

    @Override
    public boolean given(String name) {
        return given.contains(name);
    }

    @Override
    public void hang() throws RemoteException {
        System.out.println("HANGS");
        try {
            Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
            throw new RemoteException("interrupted", e);
        }
    }

    private final class PaperTicket implements Ticket, Unreferenced {

        private final String name;

        PaperTicket(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void unreferenced() {
            given.add(name);
            System.out.println("UNREFERENCED " + name);
        }
    }
}
