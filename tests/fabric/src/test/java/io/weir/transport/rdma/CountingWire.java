package io.weir.transport.rdma;

/** A wire that knows what was asked of it. Belongs to the loop's thread, as the wire does. */
final class CountingWire implements Wire {

    private final Wire wire;
    long slots;
    long sends;
    long reads;
    long polls;
    long emptyPolls;

    CountingWire(Wire wire) {
        this.wire = wire;
    }

    @Override
    public void receive(long address, int key, int bytes) {
        slots++;
        wire.receive(address, key, bytes);
    }

    @Override
    public void send(long address, int key, int bytes, boolean report) {
        sends++;
        wire.send(address, key, bytes, report);
    }

    @Override
    public void read(long address, int key, int bytes, long remoteAddress, int remoteKey, int token) {
        reads++;
        wire.read(address, key, bytes, remoteAddress, remoteKey, token);
    }

    @Override
    public int maxReads() {
        return wire.maxReads();
    }

    @Override
    public int poll(Completions to) {
        int work = wire.poll(to);
        polls++;
        emptyPolls += work == 0 ? 1 : 0;
        return work;
    }

    @Override
    public boolean arm() {
        return wire.arm();
    }

    @Override
    public int descriptor() {
        return wire.descriptor();
    }

    @Override
    public void awake() {
        wire.awake();
    }

    @Override
    public int offset(int slotBytes, int bytes) {
        return wire.offset(slotBytes, bytes);
    }

    @Override
    public int trailerBytes() {
        return wire.trailerBytes();
    }

    @Override
    public void close() {
        wire.close();
    }

    @Override
    public void close(Runnable quiet) {
        wire.close(quiet);
    }
}
