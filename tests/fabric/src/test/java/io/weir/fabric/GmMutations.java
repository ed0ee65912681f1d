package io.weir.fabric;

import java.util.List;

/** Slips in the adapter of GM. */
final class GmMutations {

    private static final String EVENT = "gm/GmEvent.java";
    private static final String PORT = "gm/GmPort.java";
    private static final String WIRE = "gm/GmWire.java";
    private static final String SLOTS = "rdma/SendingSlots.java";
    private static final String DOMAIN = "gm/GmDomain.java";

    static final List<Mutation> ALL = List.of(
            new Mutation(
                    "the length of a message is read one word too early",
                    EVENT,
                    "MEMORY.getInt(event + 52)",
                    "MEMORY.getInt(event + 48)",
                    Proof.GM),
            new Mutation(
                    "the length of a message is read as if it were in our order",
                    EVENT,
                    "Integer.reverseBytes(MEMORY.getInt(event + 52))",
                    "MEMORY.getInt(event + 52)",
                    Proof.GM),
            new Mutation(
                    "of the sender's node only the upper half is read",
                    EVENT,
                    "Short.toUnsignedInt(Short.reverseBytes(MEMORY.getShort(event + 56)))",
                    "Byte.toUnsignedInt(MEMORY.getByte(event + 56))",
                    Proof.GM),
            new Mutation(
                    "the size stands for the sender's port",
                    EVENT,
                    "MEMORY.getByte(event + 62)",
                    "MEMORY.getByte(event + 61)",
                    Proof.GM),
            new Mutation(
                    "a short message is sought for in the buffer",
                    PORT,
                    "arrived(event, GmEvent.message(event), GmEvent.buffer(event));",
                    "arrived(event, GmEvent.buffer(event), GmEvent.buffer(event));",
                    Proof.GM),
            new Mutation(
                    "the receive tokens are taken for send tokens",
                    PORT,
                    "int tokens = api.sendTokens(handle);",
                    "int tokens = api.receiveTokens(handle);",
                    Proof.GM_WITH_FEW_TOKENS),
            new Mutation(
                    "the token of what has failed is not returned",
                    PORT,
                    "            freeFlights[freeTokens++] = index;\n            if (status != GmStatus.OK) {",
                    "            if (status == GmStatus.OK) freeFlights[freeTokens++] = index;\n"
                            + "            if (status != GmStatus.OK) {",
                    Proof.GM_THAT_FAILS),
            new Mutation(
                    "the token of what no link has sent is not returned",
                    PORT,
                    "            freeFlights[freeTokens++] = index;\n            if (status != GmStatus.OK) {",
                    "            if (wire != null) freeFlights[freeTokens++] = index;\n"
                            + "            if (status != GmStatus.OK) {",
                    Proof.GM_THAT_FAILS),
            new Mutation(
                    "what a callback has told is done twice",
                    PORT,
                    "                wire.landed(flight.kind);\n",
                    "                wire.landed(flight.kind);\n                wire.landed(flight.kind);\n",
                    Proof.GM),
            new Mutation(
                    "what a callback has told is looked at before it is called",
                    PORT,
                    "        api.unknown(handle, event);\n        land();\n        return false;",
                    "        land();\n        api.unknown(handle, event);\n        return false;",
                    Proof.GM_WITH_FEW_TOKENS),
            new Mutation(
                    "a message has arrived when it is sent",
                    PORT,
                    "        wire.tookOff();\n        return index;",
                    "        wire.tookOff();\n        wire.landed(kind);\n        flight.wire = null;\n        "
                            + "return index;",
                    Proof.GM),
            new Mutation(
                    "a size is taken for eight bytes longer than it is",
                    PORT,
                    "whole <= (1 << SMALL_SIZE) - GmApi.SIZE_LOSS",
                    "whole <= 1 << SMALL_SIZE",
                    Proof.GM),
            new Mutation(
                    "messages of the short size are not accepted",
                    PORT,
                    "api.accept(handle, 1L << largeSize | 1L << SMALL_SIZE);",
                    "api.accept(handle, 1L << largeSize);",
                    Proof.GM),
            new Mutation(
                    "short buffers are not provided again",
                    PORT,
                    "api.provide(handle, buffer, buffer < largeEnd ? largeSize : SMALL_SIZE);",
                    "if (buffer < largeEnd) api.provide(handle, buffer, largeSize);",
                    Proof.GM_WITH_FEW_TOKENS),
            new Mutation(
                    "buffers are provided again each time",
                    PORT,
                    "while (emptied > 0) {\n            long buffer = emptyBuffers[--emptied];",
                    "for (int i = emptied; i > 0; ) {\n            long buffer = emptyBuffers[--i];",
                    Proof.GM),
            new Mutation(
                    "long buffers are provided again as short ones",
                    PORT,
                    "api.provide(handle, buffer, buffer < largeEnd ? largeSize : SMALL_SIZE);",
                    "api.provide(handle, buffer, SMALL_SIZE);",
                    Proof.GM_WITH_FEW_TOKENS),
            new Mutation("memory is not registered", DOMAIN, "port.registerMemory(from, whole);", "", Proof.GM),
            new Mutation(
                    "memory is registered without the page that it ends in",
                    DOMAIN,
                    "(address + length - from + port.pageBytes() - 1)",
                    "(length + port.pageBytes() - 1)",
                    Proof.GM),
            new Mutation(
                    "memory is deregistered before what is sent from it is gone",
                    WIRE,
                    "return inFlight == 0 && steps.isEmpty() && over ? quiet : null;",
                    "return steps.isEmpty() && over ? quiet : null;",
                    Proof.GM),
            new Mutation(
                    "memory is given back before the peer's last word",
                    WIRE,
                    "boolean over = !writes ||",
                    "boolean over = true || !writes ||",
                    Proof.GM),
            new Mutation(
                    "a slot is used again that the peer has not given back",
                    SLOTS,
                    "(free >= 2 || (free == 1 && owed > 0))",
                    "free >= 0",
                    Proof.GM_LINKS),
            new Mutation(
                    "no alarm wakes the thread that waits when a port is closed",
                    PORT,
                    "            api.setAlarm(handle, Structures.address(alarm), 1, rung.address());\n",
                    "",
                    Proof.GM),
            new Mutation(
                    "a port is closed while its answer is under way",
                    PORT,
                    "ending && freeTokens == flights.length",
                    "ending",
                    Proof.GM),
            new Mutation(
                    "a port without links does not look",
                    PORT,
                    "openWires > 0 && armedWires == 0",
                    "armedWires == 0",
                    Proof.GM),
            new Mutation(
                    "a loop sleeps over what has come before",
                    WIRE,
                    "            if (hasNews()) {\n                return false;\n            }\n",
                    "",
                    Proof.GM),
            new Mutation("nobody wakes a loop", WIRE, "Posix.signal(event);", "Posix.clear(event);", Proof.GM),
            new Mutation(
                    "a stream that has failed is not told to go on",
                    PORT,
                    "        streamsToDrop.add(destination);\n",
                    "",
                    Proof.GM_THAT_FAILS),
            new Mutation(
                    "a stream is told to go on for each message that comes back",
                    PORT,
                    "if (GmStatus.SEND_DROPPED.is(status)) {\n            return;\n        }",
                    "",
                    Proof.GM_THAT_FAILS),
            new Mutation(
                    "the pieces of a long body are all put to the same place",
                    WIRE,
                    "            numbers[1] += bytes;\n",
                    "",
                    Proof.GM_LINKS),
            new Mutation(
                    "what is asked for is put where it lies here",
                    WIRE,
                    "step(PUT, 0, ours, MEMORY.getLong(message + 24), bytes",
                    "step(PUT, 0, ours, MEMORY.getLong(message), bytes",
                    Proof.GM_LINKS));

    private GmMutations() {}
}
