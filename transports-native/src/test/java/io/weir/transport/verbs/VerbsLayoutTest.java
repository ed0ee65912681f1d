package io.weir.transport.verbs;

import io.weir.transport.nativelib.HeaderLayout;
import io.weir.transport.verbs.VerbsLayout.Access;
import io.weir.transport.verbs.VerbsLayout.Channel;
import io.weir.transport.verbs.VerbsLayout.Completion;
import io.weir.transport.verbs.VerbsLayout.Context;
import io.weir.transport.verbs.VerbsLayout.DeviceAttributes;
import io.weir.transport.verbs.VerbsLayout.Event;
import io.weir.transport.verbs.VerbsLayout.Pair;
import io.weir.transport.verbs.VerbsLayout.PairAttributes;
import io.weir.transport.verbs.VerbsLayout.PairRequest;
import io.weir.transport.verbs.VerbsLayout.Piece;
import io.weir.transport.verbs.VerbsLayout.PortAttributes;
import io.weir.transport.verbs.VerbsLayout.ReceiveRequest;
import io.weir.transport.verbs.VerbsLayout.Region;
import io.weir.transport.verbs.VerbsLayout.SendRequest;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asks a C compiler where the fields lie that we use. */
class VerbsLayoutTest {

    private final HeaderLayout layout = new HeaderLayout("infiniband/verbs.h", "libibverbs-dev");

    private void field(String struct, String field, int offset) {
        layout.field("struct " + struct, field, offset);
    }

    private void size(String struct, int bytes) {
        layout.size("struct " + struct, bytes);
    }

    private void number(String name, int value) {
        layout.number(name, value);
    }

    private void objects() {
        field("ibv_context", "ops.poll_cq", Context.POLL_CQ);
        field("ibv_context", "ops.req_notify_cq", Context.REQ_NOTIFY_CQ);
        field("ibv_context", "ops.post_send", Context.POST_SEND);
        field("ibv_context", "ops.post_recv", Context.POST_RECV);
        field("ibv_context", "async_fd", Context.ASYNC_FD);
        field("ibv_context", "num_comp_vectors", Context.KNOWN);
        field("ibv_mr", "lkey", Region.LKEY);
        field("ibv_mr", "rkey", Region.RKEY);
        size("ibv_mr", Region.BYTES);
        field("ibv_comp_channel", "fd", Channel.FD);
        size("ibv_comp_channel", Channel.BYTES);
        field("ibv_qp", "qp_num", Pair.NUMBER);
        field("ibv_qp", "state", Pair.KNOWN);
        field("ibv_async_event", "element.qp", Event.ELEMENT);
        field("ibv_async_event", "element.port_num", Event.ELEMENT);
        field("ibv_async_event", "event_type", Event.TYPE);
        size("ibv_async_event", Event.BYTES);
        number("IBV_ACCESS_LOCAL_WRITE", Access.LOCAL_WRITE);
        number("IBV_ACCESS_REMOTE_READ", Access.REMOTE_READ);
        size("ibv_global_route", VerbsLayout.GID_BYTES + 8);
    }

    private void requests() {
        field("ibv_sge", "addr", Piece.ADDRESS);
        field("ibv_sge", "length", Piece.LENGTH);
        field("ibv_sge", "lkey", Piece.LKEY);
        size("ibv_sge", Piece.BYTES);
        field("ibv_send_wr", "wr_id", SendRequest.ID);
        field("ibv_send_wr", "sg_list", SendRequest.PIECES);
        field("ibv_send_wr", "num_sge", SendRequest.PIECE_COUNT);
        field("ibv_send_wr", "opcode", SendRequest.OPCODE);
        field("ibv_send_wr", "send_flags", SendRequest.FLAGS);
        field("ibv_send_wr", "wr.rdma.remote_addr", SendRequest.REMOTE_ADDRESS);
        field("ibv_send_wr", "wr.rdma.rkey", SendRequest.RKEY);
        size("ibv_send_wr", SendRequest.BYTES);
        number("IBV_WR_SEND", SendRequest.SEND);
        number("IBV_WR_RDMA_READ", SendRequest.RDMA_READ);
        number("IBV_SEND_SIGNALED", SendRequest.SIGNALED);
        number("IBV_SEND_INLINE", SendRequest.INLINE);
        field("ibv_recv_wr", "wr_id", ReceiveRequest.ID);
        field("ibv_recv_wr", "sg_list", ReceiveRequest.PIECES);
        field("ibv_recv_wr", "num_sge", ReceiveRequest.PIECE_COUNT);
        size("ibv_recv_wr", ReceiveRequest.BYTES);
        field("ibv_wc", "wr_id", Completion.ID);
        field("ibv_wc", "status", Completion.STATUS);
        field("ibv_wc", "vendor_err", Completion.VENDOR_ERROR);
        field("ibv_wc", "byte_len", Completion.LENGTH);
        size("ibv_wc", Completion.BYTES);
    }

    private void pairs() {
        field("ibv_qp_init_attr", "send_cq", PairRequest.SEND_QUEUE);
        field("ibv_qp_init_attr", "recv_cq", PairRequest.RECEIVE_QUEUE);
        field("ibv_qp_init_attr", "cap.max_send_wr", PairRequest.MAX_SENDS);
        field("ibv_qp_init_attr", "cap.max_recv_wr", PairRequest.MAX_RECEIVES);
        field("ibv_qp_init_attr", "cap.max_send_sge", PairRequest.MAX_SEND_PIECES);
        field("ibv_qp_init_attr", "cap.max_recv_sge", PairRequest.MAX_RECEIVE_PIECES);
        field("ibv_qp_init_attr", "cap.max_inline_data", PairRequest.MAX_INLINE);
        field("ibv_qp_init_attr", "qp_type", PairRequest.TYPE);
        size("ibv_qp_init_attr", PairRequest.BYTES);
        number("IBV_QPT_RC", PairRequest.RELIABLE_CONNECTION);
        field("ibv_qp_attr", "qp_state", PairAttributes.STATE);
        field("ibv_qp_attr", "path_mtu", PairAttributes.PATH_MTU);
        field("ibv_qp_attr", "rq_psn", PairAttributes.RECEIVE_PSN);
        field("ibv_qp_attr", "sq_psn", PairAttributes.SEND_PSN);
        field("ibv_qp_attr", "dest_qp_num", PairAttributes.DESTINATION);
        field("ibv_qp_attr", "qp_access_flags", PairAttributes.ACCESS);
        field("ibv_qp_attr", "ah_attr.grh.dgid", PairAttributes.GID);
        field("ibv_qp_attr", "ah_attr.grh.sgid_index", PairAttributes.GID_INDEX);
        field("ibv_qp_attr", "ah_attr.grh.hop_limit", PairAttributes.HOP_LIMIT);
        field("ibv_qp_attr", "ah_attr.dlid", PairAttributes.LID);
        field("ibv_qp_attr", "ah_attr.is_global", PairAttributes.IS_GLOBAL);
        field("ibv_qp_attr", "ah_attr.port_num", PairAttributes.ADDRESS_PORT);
        field("ibv_qp_attr", "max_rd_atomic", PairAttributes.MAX_READS);
        field("ibv_qp_attr", "max_dest_rd_atomic", PairAttributes.MAX_READS_SERVED);
        field("ibv_qp_attr", "min_rnr_timer", PairAttributes.MIN_RNR_TIMER);
        field("ibv_qp_attr", "port_num", PairAttributes.PORT);
        field("ibv_qp_attr", "timeout", PairAttributes.TIMEOUT);
        field("ibv_qp_attr", "retry_cnt", PairAttributes.RETRY_COUNT);
        field("ibv_qp_attr", "rnr_retry", PairAttributes.RNR_RETRY);
        size("ibv_qp_attr", PairAttributes.BYTES);
        number("IBV_QPS_INIT", PairAttributes.INIT);
        number("IBV_QPS_RTR", PairAttributes.READY_TO_RECEIVE);
        number("IBV_QPS_RTS", PairAttributes.READY_TO_SEND);
        number("IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS", PairAttributes.INIT_MASK);
        number(
                "IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN"
                        + " | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER",
                PairAttributes.READY_TO_RECEIVE_MASK);
        number(
                "IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN"
                        + " | IBV_QP_MAX_QP_RD_ATOMIC",
                PairAttributes.READY_TO_SEND_MASK);
    }

    private void attributes() {
        field("ibv_port_attr", "state", PortAttributes.STATE);
        field("ibv_port_attr", "active_mtu", PortAttributes.ACTIVE_MTU);
        field("ibv_port_attr", "gid_tbl_len", PortAttributes.GIDS);
        field("ibv_port_attr", "lid", PortAttributes.LID);
        field("ibv_port_attr", "link_layer", PortAttributes.LINK_LAYER);
        size("ibv_port_attr", PortAttributes.BYTES);
        number("IBV_PORT_ACTIVE", PortAttributes.ACTIVE);
        number("IBV_LINK_LAYER_INFINIBAND", LinkLayer.INFINIBAND.number());
        number("IBV_LINK_LAYER_ETHERNET", LinkLayer.ROCE.number());
        field("ibv_device_attr", "max_mr_size", DeviceAttributes.MAX_REGION);
        field("ibv_device_attr", "max_qp_wr", DeviceAttributes.MAX_REQUESTS);
        field("ibv_device_attr", "max_cqe", DeviceAttributes.MAX_ENTRIES);
        field("ibv_device_attr", "max_qp_rd_atom", DeviceAttributes.MAX_READS_SERVED);
        field("ibv_device_attr", "max_qp_init_rd_atom", DeviceAttributes.MAX_READS);
        field("ibv_device_attr", "phys_port_cnt", DeviceAttributes.PORTS);
        size("ibv_device_attr", DeviceAttributes.BYTES);
    }

    private void words() {
        number("IBV_WC_SUCCESS", CompletionStatus.OK);
        number("IBV_WC_LOC_LEN_ERR", CompletionStatus.LOCAL_LENGTH.number());
        number("IBV_WC_LOC_QP_OP_ERR", CompletionStatus.LOCAL_CONNECTION.number());
        number("IBV_WC_LOC_PROT_ERR", CompletionStatus.LOCAL_PROTECTION.number());
        number("IBV_WC_WR_FLUSH_ERR", CompletionStatus.FLUSHED.number());
        number("IBV_WC_BAD_RESP_ERR", CompletionStatus.BAD_RESPONSE.number());
        number("IBV_WC_LOC_ACCESS_ERR", CompletionStatus.LOCAL_ACCESS.number());
        number("IBV_WC_REM_OP_ERR", CompletionStatus.REMOTE_OPERATION.number());
        number("IBV_WC_REM_INV_REQ_ERR", CompletionStatus.REMOTE_REQUEST.number());
        number("IBV_WC_REM_ACCESS_ERR", CompletionStatus.REMOTE_ACCESS.number());
        number("IBV_WC_RETRY_EXC_ERR", CompletionStatus.NO_ANSWER.number());
        number("IBV_WC_RNR_RETRY_EXC_ERR", CompletionStatus.NOT_READY.number());
        number("IBV_WC_FATAL_ERR", CompletionStatus.FATAL.number());
        number("IBV_WC_RESP_TIMEOUT_ERR", CompletionStatus.RESPONSE_TIMEOUT.number());
        number("IBV_WC_GENERAL_ERR", CompletionStatus.GENERAL.number());
        number("IBV_EVENT_CQ_ERR", AsyncEvent.COMPLETIONS_LOST.number());
        number("IBV_EVENT_QP_FATAL", AsyncEvent.CONNECTION_FAILED.number());
        number("IBV_EVENT_QP_REQ_ERR", AsyncEvent.BAD_REQUEST.number());
        number("IBV_EVENT_QP_ACCESS_ERR", AsyncEvent.BAD_ACCESS.number());
        number("IBV_EVENT_COMM_EST", AsyncEvent.ESTABLISHED.number());
        number("IBV_EVENT_SQ_DRAINED", AsyncEvent.DRAINED.number());
        number("IBV_EVENT_PATH_MIG", AsyncEvent.MIGRATED.number());
        number("IBV_EVENT_PATH_MIG_ERR", AsyncEvent.NOT_MIGRATED.number());
        number("IBV_EVENT_DEVICE_FATAL", AsyncEvent.DEVICE_FAILED.number());
        number("IBV_EVENT_PORT_ACTIVE", AsyncEvent.PORT_ACTIVE.number());
        number("IBV_EVENT_PORT_ERR", AsyncEvent.PORT_DOWN.number());
        number("IBV_EVENT_LID_CHANGE", AsyncEvent.LID_CHANGED.number());
        number("IBV_EVENT_PKEY_CHANGE", AsyncEvent.PARTITIONS_CHANGED.number());
        number("IBV_EVENT_SM_CHANGE", AsyncEvent.MANAGER_CHANGED.number());
        number("IBV_EVENT_SRQ_ERR", AsyncEvent.SHARED_QUEUE_FAILED.number());
        number("IBV_EVENT_SRQ_LIMIT_REACHED", AsyncEvent.SHARED_QUEUE_LOW.number());
        number("IBV_EVENT_QP_LAST_WQE_REACHED", AsyncEvent.LAST_REQUEST.number());
        number("IBV_EVENT_CLIENT_REREGISTER", AsyncEvent.REGISTER_AGAIN.number());
        number("IBV_EVENT_GID_CHANGE", AsyncEvent.GID_CHANGED.number());
    }

    @Test
    void isTheLibrarys(@TempDir Path folder) throws IOException, InterruptedException {
        objects();
        requests();
        pairs();
        attributes();
        words();
        layout.check(folder);
    }
}
