package io.weir.integration.channel;

/** What a channel promises, whatever path it takes. A test of a path says which one it is, and gets all of it. */
interface ChannelContract
        extends DeliveryContract, DemandContract, EndingContract, InteractionContract, LeavingContract {}
