package io.weir.fabric;

import java.util.List;

/** Slips in the adapter of libelan. */
final class ElanMutations {

    private static final String WIRE = "elan/ElanWire.java";
    private static final String JOB = "elan/ElanJob.java";
    private static final String STATE = "elan/ElanState.java";
    private static final String SLOTS = "rdma/SendingSlots.java";
    private static final String API = "elan/ElanApi.java";

    static final List<Mutation> ALL = List.of(
            new Mutation(
                    "memory is given back before the peer's last word",
                    WIRE,
                    "|| (saidHello && !mailbox.hasBye(secret))",
                    "",
                    Proof.ELAN_THAT_IS_SLOW),
            new Mutation(
                    "the last word is said before what was begun is done",
                    WIRE,
                    "if (ownDone && vp >= 0 && !saidBye)",
                    "if (vp >= 0 && !saidBye)",
                    Proof.ELAN_THAT_IS_SLOW),
            new Mutation(
                    "the last word is left out",
                    WIRE,
                    "byeEvent = mailbox.sendBye(job, vp, theirMailbox, theirSecret);",
                    "mailbox.hasBye(theirSecret);",
                    Proof.ELAN),
            new Mutation(
                    "a loop sleeps over what has come before",
                    WIRE,
                    "            if (hasNews()) {\n                return false;\n            }\n            armed",
                    "            armed",
                    Proof.ELAN),
            new Mutation("nobody wakes a loop", WIRE, "if (!armed || closed || !hasNews())", "if (true)", Proof.ELAN),
            new Mutation(
                    "mailboxes are not given back",
                    JOB,
                    "freeMailboxes.add(mailbox.address());\n    }\n\n    void add",
                    "}\n\n    void add",
                    Proof.ELAN),
            new Mutation(
                    "a message that is not the next one is taken", WIRE, "if (ahead != 0)", "if (false)", Proof.ELAN),
            new Mutation(
                    "a put is given another word than the state",
                    JOB,
                    "api.put(state.address(),",
                    "api.put(state.address() + 8,",
                    Proof.ELAN),
            new Mutation(
                    "the word behind a message tells the length of all that is put",
                    WIRE,
                    "number << Integer.SIZE | bytes",
                    "number << Integer.SIZE | whole + 8",
                    Proof.ELAN),
            new Mutation(
                    "the word behind a message has the number of the next one",
                    WIRE,
                    "number << Integer.SIZE | bytes",
                    "number + 1 << Integer.SIZE | bytes",
                    Proof.ELAN),
            new Mutation(
                    "a message is put where its length is not rounded up",
                    WIRE,
                    "job.put(address, end - whole, whole + Long.BYTES, vp)",
                    "job.put(address, end - bytes, whole + Long.BYTES, vp)",
                    Proof.ELAN),
            new Mutation(
                    "our number of slots is taken for the peer's",
                    WIRE,
                    "sent % theirSlots * theirStride",
                    "sent % ready.length * theirStride",
                    Proof.ELAN),
            new Mutation(
                    "a slot is used again that the peer has not given back",
                    SLOTS,
                    "(free >= 2 || (free == 1 && owed > 0))",
                    "free >= 0",
                    Proof.ELAN_LINKS),
            new Mutation(
                    "an event that is done is asked for once more",
                    WIRE,
                    "                gets[place] = 0;\n",
                    "",
                    Proof.ELAN),
            new Mutation(
                    "a read is taken for done at once",
                    WIRE,
                    "if (gets[place] != 0 && job.isDone(gets[place]))",
                    "if (gets[place] != 0 && !job.isDone(gets[place]))",
                    Proof.ELAN_THAT_IS_SLOW),
            new Mutation(
                    "whence and where to of a get are exchanged",
                    API,
                    "get.call(state, from, to, bytes, vp)",
                    "get.call(state, to, from, bytes, vp)",
                    Proof.ELAN),
            new Mutation(
                    "the base is searched from its second word on",
                    STATE,
                    "for (int at = 0; at <= words",
                    "for (int at = Long.BYTES; at <= words",
                    Proof.ELAN_ASKED),
            new Mutation(
                    "the state is searched up to its last pair but one",
                    STATE,
                    "place <= STATE - 2 * Integer.BYTES",
                    "place < STATE - 2 * Integer.BYTES",
                    Proof.ELAN_ASKED));

    private ElanMutations() {}
}
