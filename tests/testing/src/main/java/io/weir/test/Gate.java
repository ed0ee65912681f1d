package io.weir.test;

/** Lets threads through while it is open. */
final class Gate {

    private boolean open = true;

    synchronized void close() {
        open = false;
    }

    synchronized void open() {
        open = true;
        notifyAll();
    }

    synchronized void pass() throws InterruptedException {
        while (!open) {
            wait();
        }
    }
}
