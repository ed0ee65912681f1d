import java.rmi.NotBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;

/** Does everything with a server, then dies with it. */
public final class BoardClient {

    private static Board.Ticket kept;

    private BoardClient() {}

    public static void main(String[] arguments) throws Exception {
        Board board = (Board) LocateRegistry.getRegistry("127.0.0.1", Integer.parseInt(arguments[0])).lookup("board");
        try {
            LocateRegistry.getRegistry("127.0.0.1", Integer.parseInt(arguments[0])).lookup("nobody");
            throw new AssertionError("nobody is there");
        } catch (NotBoundException e) {
            // As it should be.
        }
        check("hello".equals(board.echo("hello")), "echo");
        bytes(board);
        refusal(board);
        callback(board);
        threads(board);
        if (arguments[1].equals("tickets")) {
            ticket(board);
        }
        kept = board.ticket("of " + arguments[2]);
        System.out.println("READY");
        try {
            board.hang();
            throw new AssertionError("it has come back");
        } catch (RemoteException e) {
            System.out.println("DIED " + e.getClass().getName());
            System.exit(0);
        }
    }

    private static void bytes(Board board) throws RemoteException {
        byte[] bytes = new byte[5_000_000];
        new Random(1).nextBytes(bytes);
        check(Arrays.equals(bytes, board.reversed(board.reversed(bytes))), "a large array");
    }

    private static void refusal(Board board) throws RemoteException {
        try {
            board.refuse("not today");
            throw new AssertionError("it was not refused");
        } catch (Board.Refusal e) {
            check(e.getMessage().equals("not today"), "an exception of its own type");
        }
    }

    private static void callback(Board board) throws RemoteException {
        Board.Listener listener = number -> 2 * number;
        Board.Listener stub = (Board.Listener) UnicastRemoteObject.exportObject(listener, 0);
        check(board.tell(stub, 100) == 9_900, "a callback");
        UnicastRemoteObject.unexportObject(listener, true);
    }

    private static void threads(Board board) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(8);
        List<Future<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int first = i;
            Callable<Boolean> work = () -> {
                for (int n = 0; n < 100; n++) {
                    check(board.sum(first, first + n) == (2 * first + n) * (n + 1) / 2, "a sum");
                }
                return true;
            };
            all.add(workers.submit(work));
        }
        for (Future<Boolean> each : all) {
            check(each.get(), "a thread");
        }
        workers.shutdown();
    }

    /** Lets go of one, and waits until the server knows. */
    private static void ticket(Board board) throws Exception {
        check(board.ticket("dropped").name().equals("dropped"), "a ticket");
        while (!board.given("dropped")) {
            System.gc();
            Thread.sleep(20);
        }
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }
}
