package io.weir.service.remote;

import io.weir.core.PeerId;
import io.weir.core.RemoteFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was called has thrown. Of an exception whose class may be made here, this is the cause; otherwise it is what the
 * caller gets. All of it is only the peer's word.
 */
public final class RemoteInvocationException extends RemoteFailure {

    private static final long serialVersionUID = 1L;

    private final String remoteType;
    private final @Nullable String remoteMessage;
    private final List<String> remoteStack;

    RemoteInvocationException(
            String called, PeerId peer, String remoteType, @Nullable String remoteMessage, List<String> remoteStack) {
        super(called + " failed at " + peer + ": " + remoteType + (remoteMessage == null ? "" : ": " + remoteMessage));
        this.remoteType = remoteType;
        this.remoteMessage = remoteMessage;
        this.remoteStack = List.copyOf(remoteStack);
    }

    /** The name of the class that was thrown there, which need not exist here. */
    public String remoteType() {
        return remoteType;
    }

    /** Its message, at most 4096 characters. */
    public @Nullable String remoteMessage() {
        return remoteMessage;
    }

    /** The first lines of its stack; empty unless the export sends stacks, which by default it does not. */
    public List<String> remoteStack() {
        return remoteStack;
    }
}
