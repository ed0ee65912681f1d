package io.weir.core;

/**
 * What a transport needs to prepare its half of a link.
 *
 * @param self our own card
 * @param peer the card of the other side, as it was received: host identity is checked nowhere else, so a path that
 *     relies on it must prove it
 * @param connecting whether we are the side that began the connection; true on exactly one of both sides
 * @param loop the loop that the link will live on
 * @param bootstrap the connection over which the offers travel; a transport may return it as its link
 * @param settings the options of this path
 */
public record LinkRequest(
        PeerCard self, PeerCard peer, boolean connecting, Loop loop, Link bootstrap, TransportSettings settings) {}
