package io.weir.benchmark.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** What is called. */
public interface Adder extends Remote {

    long next(long number) throws RemoteException;
}
