package io.weir.spring.endpoint;

import io.weir.core.Misconfigured;
import io.weir.core.WeirException;
import io.weir.spring.endpoint.WeirReport.OnePeer;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/**
 * What the endpoint is over HTTP and nowhere else: refusals are answers with a reason, and below it there is a page to
 * look at. As an operation of the endpoint, the page is where that is, on the same port, for whom that is.
 */
@EndpointWebExtension(endpoint = WeirEndpoint.class)
public class WeirEndpointWebExtension {

    private static final int CONFLICT = 409;

    private final WeirEndpoint endpoint;

    /** Over this one. */
    public WeirEndpointWebExtension(WeirEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** A file of the page, {@code page/index.html}. */
    @ReadOperation(produces = {Page.HTML, Page.CSS, Page.JAVASCRIPT, Page.SVG})
    public WebEndpointResponse<Resource> page(@Selector String folder, @Selector String file) {
        MimeType type = Page.type(file);
        return type == null || !folder.equals(Page.FOLDER)
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(Page.file(file), type);
    }

    /** As {@link WeirEndpoint#reorder}; 400 if there can't be such an order, 409 if it can't be now. */
    @WriteOperation
    public WebEndpointResponse<Object> reorder(@Selector String peer, String order) {
        try {
            OnePeer changed = endpoint.reorder(peer, order);
            return changed == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                    : new WebEndpointResponse<>(changed);
        } catch (WeirException refused) {
            int status = refused instanceof Misconfigured ? WebEndpointResponse.STATUS_BAD_REQUEST : CONFLICT;
            return new WebEndpointResponse<>(Map.of("reason", String.valueOf(refused.getMessage())), status);
        }
    }
}
