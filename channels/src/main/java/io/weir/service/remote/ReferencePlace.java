package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Peer;
import io.weir.core.ValueMemory;

/** Where objects are passed by reference. */
record ReferencePlace(Class<?> type, Terms terms) implements Place {

    @Override
    public void write(Object value, ByteBuf target, Peer to) {
        target.writeIntLE(terms.references().lend(value, this, to));
    }

    @Override
    public Object read(ByteBuf source, Peer from, ValueMemory memory) {
        return terms.references().receive(CallLayout.readInt(source), this, from);
    }

    @Override
    public void takeBack(Object value, Peer from) {
        terms.references().takeBack(value, this, from);
    }

    /** An object was received that nobody wants. */
    void giveBack(ByteBuf source, Peer to) {
        terms.references().giveBack(CallLayout.readInt(source), to);
    }

    Contract contract() {
        return terms.contract(type);
    }
}
