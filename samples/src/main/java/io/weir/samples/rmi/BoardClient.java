package io.weir.samples.rmi;

import java.rmi.Remote;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.Random;

/** The client: looks the server up at a host and a port, calls it, is called back, and ends. */
public final class BoardClient {

    private static final int LENGTH = 1 << 20;
    private static final int CALLS = 1000;

    private BoardClient() {}

    public static void main(String[] arguments) throws Exception {
        Remote found = LocateRegistry.getRegistry(arguments[0], Integer.parseInt(arguments[1]))
                .lookup("board");
        Board board = (Board) found;
        byte[] bytes = new byte[LENGTH];
        new Random(1).nextBytes(bytes);
        check(Arrays.equals(bytes, board.reversed(board.reversed(bytes))), "1 MiB there and back, twice");
        Board.Listener listener = number -> 2 * number;
        Board.Listener stub = (Board.Listener) UnicastRemoteObject.exportObject(listener, 0);
        check(board.tell(stub, CALLS) == CALLS * (CALLS - 1), CALLS + " calls back");
        try {
            board.refuse("not today");
            check(false, "what is refused");
        } catch (Board.Refused e) {
            check("not today".equals(e.getMessage()), "an exception of its own type");
        }
        // What was exported would keep us here.
        System.exit(0);
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what + " has gone wrong");
        }
        System.out.println(what);
    }
}
