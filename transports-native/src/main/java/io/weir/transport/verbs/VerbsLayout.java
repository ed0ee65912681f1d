package io.weir.transport.verbs;

/**
 * Where the fields of libibverbs' structures lie, and its numbers, from {@code <infiniband/verbs.h>} of rdma-core 44.
 * They are the interface of {@code libibverbs.so.1}, so they don't change; they hold wherever pointers have 64 bits. Of
 * structures that the library makes, only what lies before the first mutex is used, whose length depends on the
 * platform.
 */
final class VerbsLayout {

    /** {@code struct ibv_context}. The table of functions begins with twelve that are not used any more. */
    static final class Context {
        static final int POLL_CQ = 96;
        static final int REQ_NOTIFY_CQ = 104;
        static final int POST_SEND = 208;
        static final int POST_RECV = 216;
        static final int ASYNC_FD = 268;
        static final int KNOWN = 272;

        private Context() {}
    }

    /** {@code struct ibv_mr}. */
    static final class Region {
        static final int LKEY = 36;
        static final int RKEY = 40;
        static final int BYTES = 48;

        private Region() {}
    }

    /** {@code struct ibv_comp_channel}. */
    static final class Channel {
        static final int FD = 8;
        static final int BYTES = 16;

        private Channel() {}
    }

    /** {@code struct ibv_qp}. */
    static final class Pair {
        static final int NUMBER = 52;
        static final int KNOWN = 56;

        private Pair() {}
    }

    /** {@code struct ibv_sge}: the one piece of memory of a request. */
    static final class Piece {
        static final int ADDRESS = 0;
        static final int LENGTH = 8;
        static final int LKEY = 12;
        static final int BYTES = 16;

        private Piece() {}
    }

    /** {@code struct ibv_send_wr}. */
    static final class SendRequest {
        static final int ID = 0;
        static final int PIECES = 16;
        static final int PIECE_COUNT = 24;
        static final int OPCODE = 28;
        static final int FLAGS = 32;
        static final int REMOTE_ADDRESS = 40;
        static final int RKEY = 48;
        static final int BYTES = 128;

        static final int SEND = 2;
        static final int RDMA_READ = 4;

        static final int SIGNALED = 2;
        static final int INLINE = 8;

        private SendRequest() {}
    }

    /** {@code struct ibv_recv_wr}. */
    static final class ReceiveRequest {
        static final int ID = 0;
        static final int PIECES = 16;
        static final int PIECE_COUNT = 24;
        static final int BYTES = 32;

        private ReceiveRequest() {}
    }

    /** {@code struct ibv_wc}. */
    static final class Completion {
        static final int ID = 0;
        static final int STATUS = 8;
        static final int VENDOR_ERROR = 16;
        static final int LENGTH = 20;
        static final int BYTES = 48;

        private Completion() {}
    }

    /** {@code struct ibv_qp_init_attr}, with its {@code struct ibv_qp_cap}. */
    static final class PairRequest {
        static final int SEND_QUEUE = 8;
        static final int RECEIVE_QUEUE = 16;
        static final int MAX_SENDS = 32;
        static final int MAX_RECEIVES = 36;
        static final int MAX_SEND_PIECES = 40;
        static final int MAX_RECEIVE_PIECES = 44;
        static final int MAX_INLINE = 48;
        static final int TYPE = 52;
        static final int BYTES = 64;

        static final int RELIABLE_CONNECTION = 2;

        private PairRequest() {}
    }

    /** {@code struct ibv_qp_attr}, with its {@code struct ibv_ah_attr} and {@code struct ibv_global_route}. */
    static final class PairAttributes {
        static final int STATE = 0;
        static final int PATH_MTU = 8;
        static final int RECEIVE_PSN = 20;
        static final int SEND_PSN = 24;
        static final int DESTINATION = 28;
        static final int ACCESS = 32;
        static final int GID = 56;
        static final int GID_INDEX = 76;
        static final int HOP_LIMIT = 77;
        static final int LID = 80;
        static final int IS_GLOBAL = 85;
        static final int ADDRESS_PORT = 86;
        static final int MAX_READS = 126;
        static final int MAX_READS_SERVED = 127;
        static final int MIN_RNR_TIMER = 128;
        static final int PORT = 129;
        static final int TIMEOUT = 130;
        static final int RETRY_COUNT = 131;
        static final int RNR_RETRY = 132;
        static final int BYTES = 144;

        static final int INIT = 1;
        static final int READY_TO_RECEIVE = 2;
        static final int READY_TO_SEND = 3;

        /** State, partition key, port, access. */
        static final int INIT_MASK = 0x39;
        /** State, address, MTU, destination, receive number, reads that are served, timer. */
        static final int READY_TO_RECEIVE_MASK = 0x129181;
        /** State, timeout, both retry counts, send number, reads. */
        static final int READY_TO_SEND_MASK = 0x12e01;

        private PairAttributes() {}
    }

    /** {@code struct ibv_port_attr}. */
    static final class PortAttributes {
        static final int STATE = 0;
        static final int ACTIVE_MTU = 8;
        static final int GIDS = 12;
        static final int LID = 34;
        static final int LINK_LAYER = 46;
        static final int BYTES = 52;

        static final int ACTIVE = 4;

        private PortAttributes() {}
    }

    /** {@code struct ibv_device_attr}. */
    static final class DeviceAttributes {
        static final int MAX_REGION = 80;
        static final int MAX_PAIRS = 108;
        static final int MAX_REQUESTS = 112;
        static final int MAX_QUEUES = 128;
        static final int MAX_ENTRIES = 132;
        static final int MAX_READS_SERVED = 144;
        static final int MAX_READS = 156;
        static final int PORTS = 227;
        static final int BYTES = 232;

        private DeviceAttributes() {}
    }

    /** {@code struct ibv_async_event}. */
    static final class Event {
        static final int ELEMENT = 0;
        static final int TYPE = 8;
        static final int BYTES = 16;

        private Event() {}
    }

    /** {@code enum ibv_access_flags}. */
    static final class Access {
        static final int LOCAL_WRITE = 1;
        static final int REMOTE_READ = 4;

        private Access() {}
    }

    static final int GID_BYTES = 16;

    private VerbsLayout() {}
}
