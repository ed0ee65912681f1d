package io.weir.samples.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** What the server offers. */
public interface Board extends Remote {

    byte[] reversed(byte[] bytes) throws RemoteException;

    /** Calls back for each number; the listener's answers, added up. */
    int tell(Listener listener, int times) throws RemoteException;

    void refuse(String reason) throws RemoteException, Refused;

    /** The caller's object. */
    interface Listener extends Remote {
        int heard(int number) throws RemoteException;
    }

    /** An exception of its own. */
    final class Refused extends Exception {

        private static final long serialVersionUID = 1L;

        Refused(String reason) {
            super(reason);
        }
    }
}
