import java.rmi.Remote;
import java.rmi.RemoteException;

/** What a server offers. */
public interface Board extends Remote {

    String echo(String text) throws RemoteException;

    byte[] reversed(byte[] bytes) throws RemoteException;

    int sum(int from, int to) throws RemoteException;

    void refuse(String reason) throws RemoteException, Refusal;

    /** Calls back for each number; the listener's answers, added up. */
    int tell(Listener listener, int times) throws RemoteException;

    /** Something that is the caller's alone, until it lets go. */
    Ticket ticket(String name) throws RemoteException;

    /** Whether nobody holds the ticket of this name any more. */
    boolean given(String name) throws RemoteException;

    /** Does not return. */
    void hang() throws RemoteException;

    interface Listener extends Remote {
        int heard(int number) throws RemoteException;
    }

    interface Ticket extends Remote {
        String name() throws RemoteException;
    }

    class Refusal extends Exception {
        private static final long serialVersionUID = 1L;

        public Refusal(String reason) {
            super(reason);
        }
    }
}
