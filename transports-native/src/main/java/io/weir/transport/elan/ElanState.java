package io.weir.transport.elan;

import io.weir.core.PeerUnavailable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where libelan keeps what it wants to be given with each call, its {@code ELAN_STATE}. The one place for what is
 * inferred about its structures: no header is to be had, so nothing of it is taken for granted, but looked for, and
 * taken only if what it says is known from elsewhere.
 *
 * <ul>
 *   <li>{@code ELAN_BASE} has a member {@code state}, a pointer, somewhere in its first 2 KiB: so do all programs use
 *       it; where is not known.
 *   <li>{@code ELAN_STATE} begins with a pointer to the version's text, whether it is attached (32), this process's
 *       number (32) and how many there are (32): so does GASNet list its members. Should the two numbers stand
 *       elsewhere, they are searched for in the first 64 bytes.
 * </ul>
 *
 * @param address of the state
 * @param version the text that it begins with
 */
record ElanState(long address, String version) {

    private static final int BASE = 2048;
    private static final int STATE = 64;

    private static final int VERSION = 0;
    private static final int VP = 12;

    /**
     * Finds it.
     *
     * @param base what {@code elan_baseInit} has returned
     * @throws PeerUnavailable if there is nothing that can only be it
     */
    static ElanState find(long base, ElanMembership membership) {
        try (OwnMemory memory = OwnMemory.open()) {
            return find(memory, base, membership);
        } catch (IOException e) {
            throw new PeerUnavailable("the library's structures can't be looked at: " + e.getMessage(), e);
        }
    }

    private static ElanState find(OwnMemory memory, long base, ElanMembership membership) {
        List<Integer> places = new ArrayList<>();
        places.add(VP);
        for (int place = Long.BYTES; place <= STATE - 2 * Integer.BYTES; place += Integer.BYTES) {
            places.add(place);
        }
        Map<Long, String> candidates = candidates(memory, base);
        for (int place : places) {
            List<ElanState> found = candidates.entrySet().stream()
                    .filter(each -> shows(memory.read(each.getKey(), STATE), place, membership))
                    .map(each -> new ElanState(each.getKey(), each.getValue()))
                    .toList();
            if (found.size() > 1) {
                throw unknown(membership, found.size() + " of them do");
            }
            if (!found.isEmpty()) {
                return found.get(0);
            }
        }
        throw unknown(membership, "none of " + candidates.size() + " that could be it does");
    }

    private static PeerUnavailable unknown(ElanMembership membership, String how) {
        return new PeerUnavailable(
                "the library's structures are not as they are known: its state should show that we are process "
                        + membership.vp() + " of " + membership.nvp() + ", and " + how);
    }

    /** By address, the text that each begins with. */
    private static Map<Long, String> candidates(OwnMemory memory, long base) {
        Map<Long, String> candidates = new TreeMap<>();
        ByteBuffer words = memory.read(base, BASE);
        for (int at = 0; at <= words.limit() - Long.BYTES; at += Long.BYTES) {
            long address = words.getLong(at);
            if (address > 0 && address % Long.BYTES == 0) {
                ByteBuffer begin = memory.read(address, Long.BYTES);
                String text = begin.limit() < Long.BYTES ? null : memory.text(begin.getLong(VERSION));
                if (text != null) {
                    candidates.put(address, text);
                }
            }
        }
        return candidates;
    }

    private static boolean shows(ByteBuffer state, int place, ElanMembership membership) {
        return state.limit() >= place + 2 * Integer.BYTES
                && state.getInt(place) == membership.vp()
                && state.getInt(place + Integer.BYTES) == membership.nvp();
    }
}
