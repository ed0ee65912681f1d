package io.weir.transport.dapl;

/**
 * Where the fields of uDAPL's structures lie, and its numbers, from {@code <dat2/dat.h>} and {@code <dat2/udat.h>} of
 * libdapl 2.1.10. They are the interface of {@code libdat2.so.2}; they hold wherever pointers have 64 bits.
 */
final class DaplLayout {

    /** The version of the interface that adapters are opened with. */
    static final int MAJOR = 2;

    static final int MINOR = 0;

    /** No handle. */
    static final long NONE = 0;

    /** {@code DAT_LMR_TRIPLET} and {@code DAT_RMR_TRIPLET}: a piece of our memory, or of the peer's. */
    static final class Piece {
        static final int ADDRESS = 0;
        static final int LENGTH = 8;
        static final int CONTEXT = 12;
        static final int BYTES = 16;

        private Piece() {}
    }

    /** {@code DAT_EVENT}: its data depends on what has happened. */
    static final class Event {
        static final int NUMBER = 0;
        static final int BYTES = 120;

        static final int DTO_COOKIE = 24;
        static final int DTO_STATUS = 32;
        static final int DTO_LENGTH = 36;
        static final int REQUEST = 40;

        private Event() {}
    }

    /** {@code DAT_CR_PARAM}: who wants to connect. */
    static final class Request {
        static final int PRIVATE_SIZE = 16;
        static final int PRIVATE_DATA = 24;
        static final int BYTES = 40;
        static final int ALL = 0x1f;

        private Request() {}
    }

    /** {@code DAT_IA_ATTR}: what an adapter has. */
    static final class AdapterAttributes {
        static final int ADDRESS = 528;
        static final int MAX_READS_SERVED = 544;
        static final int MAX_REQUESTS = 540;
        static final int MAX_READS = 548;
        static final int MAX_EVENTS = 556;
        static final int BYTES = 688;
        static final long ALL = 0x3fffffffffL;

        private AdapterAttributes() {}
    }

    /** {@code DAT_EP_ATTR}: what an endpoint has to have. */
    static final class EndpointAttributes {
        static final int RECEIVES = 24;
        static final int REQUESTS = 28;
        static final int RECEIVE_PIECES = 32;
        static final int REQUEST_PIECES = 36;
        static final int READS_SERVED = 40;
        static final int READS = 44;
        static final int READ_PIECES = 52;
        static final int WRITE_PIECES = 56;
        static final int BYTES = 88;

        private EndpointAttributes() {}
    }

    /** {@code DAT_EVD_FLAGS}: what kind of events a dispatcher takes. */
    static final class Dispatcher {
        static final int REQUESTS = 0x10;
        static final int TRANSFERS = 0x20;
        static final int CONNECTIONS = 0x40;

        private Dispatcher() {}
    }

    /** {@code DAT_COMPLETION_FLAGS}. */
    static final class Completion {
        static final int TOLD = 0;
        static final int NOT_TOLD = 1;

        private Completion() {}
    }

    /** {@code DAT_MEM_PRIV_FLAGS}. */
    static final class Privileges {
        static final int LOCAL_READ = 0x01;
        static final int REMOTE_READ = 0x02;
        static final int LOCAL_WRITE = 0x10;

        private Privileges() {}
    }

    /** {@code DAT_MEM_TYPE_VIRTUAL} and {@code DAT_VA_TYPE_VA}: memory is named by our own addresses. */
    static final int VIRTUAL_MEMORY = 0;

    static final int VIRTUAL_ADDRESSES = 0;

    /** {@code DAT_CLOSE_ABRUPT_FLAG}. */
    static final int ABRUPT = 0;

    private DaplLayout() {}
}
