package io.weir.benchmark.contender;

import io.weir.benchmark.contender.Quotes.Order;
import io.weir.benchmark.contender.Quotes.Quote;
import java.io.IOException;
import java.net.ServerSocket;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import org.jspecify.annotations.Nullable;

/** Java RMI over TCP on this host: one thread calls and waits. */
final class RmiContender implements Contender {

    private static final String NAME = "quotes";

    private final Setup setup;
    private @Nullable Registry registry;
    private @Nullable Answering answering;

    RmiContender(Setup setup) {
        this.setup = setup;
    }

    /** As {@link Quotes}, as RMI wants it. */
    interface RemoteQuotes extends Remote {
        Quote quote(Order order) throws RemoteException;
    }

    private record Answering(Pinning pinning) implements RemoteQuotes {
        @Override
        public Quote quote(Order order) {
            pinning.pinHere();
            return order.quote();
        }
    }

    @Override
    public String serve(Cell cell) throws Exception {
        System.setProperty("java.rmi.server.hostname", Loops.HOST);
        int port = freePort();
        Registry made = LocateRegistry.createRegistry(port);
        registry = made;
        Answering object = new Answering(setup.pinning());
        answering = object;
        made.rebind(NAME, UnicastRemoteObject.exportObject(object, 0));
        return Integer.toString(port);
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        RemoteQuotes quotes = (RemoteQuotes) LocateRegistry.getRegistry(Loops.HOST, Integer.parseInt(address))
                .lookup(NAME);
        Conversation conversation = new Conversation(cell, meter, setup.pinning());
        meter.begin();
        Order order;
        do {
            order = conversation.next();
        } while (conversation.answered(order, quotes.quote(order)));
        meter.await();
    }

    @Override
    public void close() throws Exception {
        if (answering != null) {
            UnicastRemoteObject.unexportObject(answering, true);
        }
        if (registry != null) {
            UnicastRemoteObject.unexportObject(registry, true);
        }
    }
}
