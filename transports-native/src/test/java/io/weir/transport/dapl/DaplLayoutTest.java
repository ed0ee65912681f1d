package io.weir.transport.dapl;

import io.weir.transport.dapl.DaplLayout.AdapterAttributes;
import io.weir.transport.dapl.DaplLayout.Completion;
import io.weir.transport.dapl.DaplLayout.Dispatcher;
import io.weir.transport.dapl.DaplLayout.EndpointAttributes;
import io.weir.transport.dapl.DaplLayout.Event;
import io.weir.transport.dapl.DaplLayout.Piece;
import io.weir.transport.dapl.DaplLayout.Privileges;
import io.weir.transport.dapl.DaplLayout.Request;
import io.weir.transport.nativelib.HeaderLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asks a C compiler where the fields lie that we use, and what the numbers are. */
class DaplLayoutTest {

    private final HeaderLayout layout = new HeaderLayout("dat2/udat.h", "libdapl-dev");

    private void structures() {
        for (String piece : new String[] {"LMR", "RMR"}) {
            String type = "DAT_" + piece + "_TRIPLET";
            layout.field(type, "virtual_address", Piece.ADDRESS);
            layout.field(type, "segment_length", Piece.LENGTH);
            layout.field(type, piece.toLowerCase(Locale.ROOT) + "_context", Piece.CONTEXT);
            layout.size(type, Piece.BYTES);
        }
        layout.field("DAT_EVENT", "event_number", Event.NUMBER);
        layout.size("DAT_EVENT", Event.BYTES);
        layout.field("DAT_EVENT", "event_data.dto_completion_event_data.user_cookie", Event.DTO_COOKIE);
        layout.field("DAT_EVENT", "event_data.dto_completion_event_data.status", Event.DTO_STATUS);
        layout.field("DAT_EVENT", "event_data.dto_completion_event_data.transfered_length", Event.DTO_LENGTH);
        layout.field("DAT_EVENT", "event_data.cr_arrival_event_data.cr_handle", Event.REQUEST);
        layout.field("DAT_CR_PARAM", "private_data_size", Request.PRIVATE_SIZE);
        layout.field("DAT_CR_PARAM", "private_data", Request.PRIVATE_DATA);
        layout.size("DAT_CR_PARAM", Request.BYTES);
        layout.number("DAT_CR_FIELD_ALL", Request.ALL);
        layout.field("DAT_IA_ATTR", "ia_address_ptr", AdapterAttributes.ADDRESS);
        layout.field("DAT_IA_ATTR", "max_dto_per_ep", AdapterAttributes.MAX_REQUESTS);
        layout.field("DAT_IA_ATTR", "max_rdma_read_per_ep_in", AdapterAttributes.MAX_READS_SERVED);
        layout.field("DAT_IA_ATTR", "max_rdma_read_per_ep_out", AdapterAttributes.MAX_READS);
        layout.field("DAT_IA_ATTR", "max_evd_qlen", AdapterAttributes.MAX_EVENTS);
        layout.size("DAT_IA_ATTR", AdapterAttributes.BYTES);
        layout.number("DAT_IA_FIELD_ALL == " + AdapterAttributes.ALL + "L", 1);
        layout.field("DAT_EP_ATTR", "max_recv_dtos", EndpointAttributes.RECEIVES);
        layout.field("DAT_EP_ATTR", "max_request_dtos", EndpointAttributes.REQUESTS);
        layout.field("DAT_EP_ATTR", "max_recv_iov", EndpointAttributes.RECEIVE_PIECES);
        layout.field("DAT_EP_ATTR", "max_request_iov", EndpointAttributes.REQUEST_PIECES);
        layout.field("DAT_EP_ATTR", "max_rdma_read_in", EndpointAttributes.READS_SERVED);
        layout.field("DAT_EP_ATTR", "max_rdma_read_out", EndpointAttributes.READS);
        layout.field("DAT_EP_ATTR", "max_rdma_read_iov", EndpointAttributes.READ_PIECES);
        layout.field("DAT_EP_ATTR", "max_rdma_write_iov", EndpointAttributes.WRITE_PIECES);
        layout.size("DAT_EP_ATTR", EndpointAttributes.BYTES);
        // Both are passed by value, as two numbers.
        layout.size("DAT_REGION_DESCRIPTION", 2 * Long.BYTES);
        layout.size("DAT_OS_WAIT_PROXY_AGENT", 2 * Long.BYTES);
        layout.size("DAT_DTO_COOKIE", Long.BYTES);
        layout.size("DAT_IA_HANDLE", Long.BYTES);
    }

    private void numbers() {
        layout.number("DAT_EVD_CR_FLAG", Dispatcher.REQUESTS);
        layout.number("DAT_EVD_DTO_FLAG", Dispatcher.TRANSFERS);
        layout.number("DAT_EVD_CONNECTION_FLAG", Dispatcher.CONNECTIONS);
        layout.number("DAT_COMPLETION_DEFAULT_FLAG", Completion.TOLD);
        layout.number("DAT_COMPLETION_SUPPRESS_FLAG", Completion.NOT_TOLD);
        layout.number("DAT_MEM_PRIV_LOCAL_READ_FLAG", Privileges.LOCAL_READ);
        layout.number("DAT_MEM_PRIV_REMOTE_READ_FLAG", Privileges.REMOTE_READ);
        layout.number("DAT_MEM_PRIV_LOCAL_WRITE_FLAG", Privileges.LOCAL_WRITE);
        layout.number("DAT_MEM_TYPE_VIRTUAL", DaplLayout.VIRTUAL_MEMORY);
        layout.number("DAT_VA_TYPE_VA", DaplLayout.VIRTUAL_ADDRESSES);
        layout.number("DAT_CLOSE_ABRUPT_FLAG", DaplLayout.ABRUPT);
        layout.number("DAT_PSP_CONSUMER_FLAG", 0);
        layout.number("DAT_QOS_BEST_EFFORT", 0);
        layout.number("DAT_CONNECTION_REQUEST_EVENT", ConnectionEvent.REQUEST);
        layout.number("DAT_CONNECTION_EVENT_ESTABLISHED", ConnectionEvent.ESTABLISHED.number());
        layout.number("DAT_CONNECTION_EVENT_PEER_REJECTED", ConnectionEvent.PEER_REJECTED.number());
        layout.number("DAT_CONNECTION_EVENT_NON_PEER_REJECTED", ConnectionEvent.NON_PEER_REJECTED.number());
        layout.number("DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR", ConnectionEvent.ACCEPT_FAILED.number());
        layout.number("DAT_CONNECTION_EVENT_DISCONNECTED", ConnectionEvent.DISCONNECTED.number());
        layout.number("DAT_CONNECTION_EVENT_BROKEN", ConnectionEvent.BROKEN.number());
        layout.number("DAT_CONNECTION_EVENT_TIMED_OUT", ConnectionEvent.TIMED_OUT.number());
        layout.number("DAT_CONNECTION_EVENT_UNREACHABLE", ConnectionEvent.UNREACHABLE.number());
    }

    private void outcomes() {
        layout.number("DAT_DTO_SUCCESS", DtoStatus.SUCCESS.number());
        layout.number("DAT_DTO_ERR_FLUSHED", DtoStatus.FLUSHED.number());
        layout.number("DAT_DTO_ERR_LOCAL_LENGTH", DtoStatus.LOCAL_LENGTH.number());
        layout.number("DAT_DTO_ERR_LOCAL_EP", DtoStatus.LOCAL_ENDPOINT.number());
        layout.number("DAT_DTO_ERR_LOCAL_PROTECTION", DtoStatus.LOCAL_PROTECTION.number());
        layout.number("DAT_DTO_ERR_BAD_RESPONSE", DtoStatus.BAD_RESPONSE.number());
        layout.number("DAT_DTO_ERR_REMOTE_ACCESS", DtoStatus.REMOTE_ACCESS.number());
        layout.number("DAT_DTO_ERR_REMOTE_RESPONDER", DtoStatus.REMOTE_RESPONDER.number());
        layout.number("DAT_DTO_ERR_TRANSPORT", DtoStatus.TRANSPORT.number());
        layout.number("DAT_DTO_ERR_RECEIVER_NOT_READY", DtoStatus.RECEIVER_NOT_READY.number());
        layout.number("DAT_DTO_ERR_PARTIAL_PACKET", DtoStatus.PARTIAL_PACKET.number());
        layout.number("DAT_SUCCESS", DaplReturn.SUCCESS);
        layout.number("DAT_INSUFFICIENT_RESOURCES", DaplReturn.INSUFFICIENT_RESOURCES << 16);
        layout.number("DAT_PRIVILEGES_VIOLATION", DaplReturn.PRIVILEGES_VIOLATION << 16);
        layout.number("DAT_PROTECTION_VIOLATION", DaplReturn.PROTECTION_VIOLATION << 16);
        layout.number("DAT_QUEUE_EMPTY", DaplReturn.QUEUE_EMPTY << 16);
        layout.number("DAT_TIMEOUT_EXPIRED", DaplReturn.TIMEOUT_EXPIRED << 16);
        layout.number("DAT_INTERRUPTED_CALL", DaplReturn.INTERRUPTED_CALL << 16);
        layout.number("DAT_GET_TYPE(DAT_CLASS_ERROR | DAT_QUEUE_EMPTY | 17)", DaplReturn.QUEUE_EMPTY << 16);
    }

    @Test
    void isTheLibrarys(@TempDir Path folder) throws IOException, InterruptedException {
        structures();
        numbers();
        outcomes();
        layout.check(folder);
    }
}
