package io.weir.channel;

import java.util.HashMap;
import java.util.Map;

/**
 * So many places for peers, shared so that nobody can take them all from the others. Any thread may call.
 *
 * <pre>
 *   identity  at most 3/4 of what other identities have left
 *   peer      at most half of what the other peers of its identity have left of that; but one in any case, even if all
 *             are taken
 * </pre>
 *
 * <p>So one more for each connected peer may be taken than there are. An identity is a certificate's principal; without
 * one, everybody who comes from the same place and has proved as much.
 */
public final class Places {

    private final int all;
    private final Map<Object, Owner> owners = new HashMap<>();
    private int taken;

    private static final class Owner {

        private int taken;
        private final Map<Peer, Integer> peers = new HashMap<>();
    }

    /** None is taken yet. */
    public Places(int all) {
        this.all = all;
    }

    /** Takes a place for this peer, to be given back, or returns false if it has its share already. */
    public synchronized boolean tryTake(Peer peer) {
        Owner owner = owners.computeIfAbsent(identity(peer), identity -> new Owner());
        int its = owner.peers.getOrDefault(peer, 0);
        long ofOwner = (all - (taken - owner.taken)) * 3L / 4;
        long ofPeer = (ofOwner - (owner.taken - its)) / 2;
        boolean has = its < Math.max(1, ofPeer);
        if (has) {
            owner.peers.put(peer, its + 1);
            owner.taken++;
            taken++;
        }
        return has;
    }

    /**
     * Gives one of them back.
     *
     * @throws IllegalStateException if this peer has none
     */
    public synchronized void give(Peer peer) {
        Owner owner = owners.get(identity(peer));
        Integer its = owner == null ? null : owner.peers.remove(peer);
        if (owner == null || its == null) {
            throw new IllegalStateException("a place was given back that was not taken");
        }
        if (its > 1) {
            owner.peers.put(peer, its - 1);
        }
        owner.taken--;
        taken--;
        if (owner.taken == 0) {
            owners.remove(identity(peer));
        }
    }

    /** How many are taken. */
    public synchronized int taken() {
        return taken;
    }

    private static Object identity(Peer peer) {
        return peer.session().memory().identity();
    }
}
