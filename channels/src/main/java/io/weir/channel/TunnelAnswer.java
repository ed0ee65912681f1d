package io.weir.channel;

import io.netty.buffer.Unpooled;
import io.weir.core.AuthenticationFailed;
import io.weir.core.ControlData;
import io.weir.core.ForeignText;
import io.weir.core.Message;
import io.weir.core.Overloaded;
import io.weir.core.PeerUnavailable;
import io.weir.core.Refused;
import io.weir.core.TimedOut;
import io.weir.core.WeirException;
import io.weir.path.Errors;
import io.weir.peer.TunnelRoute;

/**
 * The first message of a gateway to the sender of a {@link TunnelRequest}: that it has opened the next leg, or why
 * it can't.
 */
public final class TunnelAnswer {

    private static final String ERROR = "weir-error";
    private static final String TEXT = "weir-text";

    private TunnelAnswer() {}

    /**
     * The next leg is there: the gateway, and the leg's path. What comes next is what comes from there. The caller owns
     * it.
     */
    public static Message opened(String gateway, String path) {
        return TunnelRequest.greeting(TunnelRoute.NONE.gateway(gateway).leg(path));
    }

    /** There is no next leg, for this reason, and nothing follows. The caller owns it. */
    public static Message failed(String gateway, Throwable reason) {
        ControlData data =
                ControlData.of(ERROR, kind(reason)).with(TEXT, "gateway " + gateway + ": " + Errors.text(reason));
        return Message.of(data, Unpooled.EMPTY_BUFFER);
    }

    private static String kind(Throwable reason) {
        if (reason instanceof AuthenticationFailed) {
            return "unproved";
        }
        if (reason instanceof Overloaded) {
            return "overloaded";
        }
        if (reason instanceof TimedOut) {
            return "late";
        }
        return reason instanceof WeirException.Permanent ? "refused" : "unavailable";
    }

    /** Reads one without releasing it. Throws what a gateway has failed with. */
    static TunnelRoute read(Message message) {
        String kind = message.control().get(ERROR);
        if (kind == null) {
            return TunnelRoute.of(message.control());
        }
        String said = message.control().get(TEXT);
        String text = ForeignText.brief(said == null ? "a gateway has failed" : said);
        throw switch (kind) {
            case "unproved" -> new AuthenticationFailed(text);
            case "overloaded" -> new Overloaded(text);
            case "late" -> new TimedOut(text);
            case "unavailable" -> new PeerUnavailable(text);
            default -> new Refused(text);
        };
    }
}
