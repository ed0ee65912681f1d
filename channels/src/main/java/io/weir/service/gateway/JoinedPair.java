package io.weir.service.gateway;

import io.weir.core.ForeignText;
import io.weir.core.PeerId;
import java.time.Instant;

/**
 * Two peers of a gateway that speak through it, at one moment.
 *
 * @param number counts the pairs of this gateway
 * @param client who has asked for it: a client, or the gateway before this one
 * @param clientPath the path to it
 * @param target where it was led to: the target, or the gateway behind this one
 * @param targetPath the path to it
 * @param toTarget bytes that have gone to the target
 * @param toClient bytes that have gone to the client
 * @param since when they were joined
 * @param end why they are no longer; empty while they are
 */
public record JoinedPair(
        long number,
        PeerId client,
        String clientPath,
        PeerId target,
        String targetPath,
        long toTarget,
        long toClient,
        Instant since,
        String end) {

    /** Whether they are still joined. */
    public boolean open() {
        return end.isEmpty();
    }

    /** One line for people. */
    @Override
    public String toString() {
        return ForeignText.harmless(client + " over " + clientPath + " - " + target + " over " + targetPath
                + (open() ? "" : ", ended: " + end + ", after " + toTarget + " and " + toClient + " bytes"));
    }
}
