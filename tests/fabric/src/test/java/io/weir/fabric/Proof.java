package io.weir.fabric;

import io.weir.test.EmulatedLibrary;
import java.util.Map;

/**
 * Tests over an emulation that are quick, and have to be green with an adapter as it is, and not with one of the
 * {@link Mutation mutations} that name them.
 *
 * @param name of the visit that runs them with the adapter as it is
 * @param library which is emulated
 * @param classes a pattern for the names of their classes
 * @param methods a pattern for the names of those that are run
 * @param settings of the emulation
 */
record Proof(String name, EmulatedLibrary library, String classes, String methods, Map<String, String> settings) {

    static final Proof GM = new Proof(
            "gm",
            EmulatedLibrary.GM,
            ".*Gm(Wire|Leaving|Transport)OnEmulation",
            "atLeast.*|whatCame.*|whatLies.*|whatNobody.*|memoryIs.*|thePeersMemory.*|aSleeper.*|nothingIsLeft.*|aPeer.*"
                    + "|aMessage.*|messagesThat.*|theSamePort.*|aPort.*",
            Map.of("GMEMU_TIMEOUT_MS", "1000"));

    /** So few tokens that most of what is sent waits for one, and nobody is told at once that it has arrived. */
    static final Proof GM_WITH_FEW_TOKENS = new Proof(
            "gm-with-few-tokens",
            EmulatedLibrary.GM,
            ".*GmWireOnEmulation",
            "atLeast.*|whatCame.*|thePeersMemory.*|nothingIsLeft.*|aPeer.*",
            Map.of("GMEMU_SEND_TOKENS", "3", "GMEMU_RECEIVE_TOKENS", "6", "GMEMU_DELAY_US", "100"));

    static final Proof GM_THAT_FAILS = new Proof(
            "gm-that-fails",
            EmulatedLibrary.GM,
            ".*GmFailingOnEmulation",
            ".*",
            Map.of("GMEMU_FAIL_EVERY", "50", "GMEMU_SEND_TOKENS", "12"));

    /** Links, with all that is above the adapter. */
    static final Proof GM_LINKS =
            new Proof("gm-links", EmulatedLibrary.GM, ".*GmContractOnEmulation", "longBodies.*|saysNo.*", Map.of());

    static final Proof ELAN = new Proof(
            "elan",
            EmulatedLibrary.ELAN,
            ".*ElanWireOnEmulation",
            "atLeast.*|whatCame.*|whatWas.*|thePeersMemory.*|aSleeper.*|nothingIsLeft.*|aPeer.*|aMessage.*|messagesOf.*"
                    + "|placesAre.*",
            Map.of());

    /**
     * What is sent is moved late, and must not be touched before: so late that a thread that waits for a processor
     * meanwhile, as others try slips as well, still comes before.
     */
    static final Proof ELAN_THAT_IS_SLOW = new Proof(
            "elan-that-is-slow",
            EmulatedLibrary.ELAN,
            ".*ElanWireOnEmulation",
            "atLeast.*|whatCame.*|whatWas.*|whoHas.*|thePeersMemory.*|nothingIsLeft.*|aPeer.*|aMessage.*",
            Map.of("ELANEMU_DELAY_US", "50000"));

    /** Links, with all that is above the adapter. */
    static final Proof ELAN_LINKS =
            new Proof("elan-links", EmulatedLibrary.ELAN, ".*ElanContractOnEmulation", "saysNo.*", Map.of());

    /** Each of these asks in a process of its own. */
    static final Proof ELAN_ASKED =
            new Proof("elan-asked", EmulatedLibrary.ELAN, ".*ElanAskedOnEmulation", "findsTheState.*", Map.of());
}
