package io.weir.config;

import io.netty.util.NetUtil;
import io.weir.core.Misconfigured;
import io.weir.core.PeerAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Who may be a peer, as the configuration says. Prints no secret.
 *
 * @param secret what each peer has to prove to know ({@code weir.security.secret}); null if there is none
 * @param formerSecret what is accepted as well while the secret is being changed ({@code weir.security.former-secret});
 *     null if there is none
 * @param require what connections must have ({@code weir.security.require}); null: connections beyond this host must be
 *     authenticated, those on it need nothing
 */
public record SecuritySpec(
        @Nullable Secret secret,
        @Nullable Secret formerSecret,
        @Nullable Requirement require) {

    /** No secret, and nothing said of what is required. */
    public static final SecuritySpec NONE = new SecuritySpec(null, null, null);

    public SecuritySpec {
        if (secret == null && formerSecret != null) {
            throw new Misconfigured(
                    "weir.security.former-secret is set and weir.security.secret is not: the former one is"
                            + " for the time of a change only; set weir.security.secret to the present one");
        }
    }

    /** What a connection must have that was made to, or accepted at, this address. */
    public Requirement requirementAt(PeerAddress address) {
        if (require != null) {
            return require;
        }
        return staysOnHost(address) ? Requirement.NONE : Requirement.AUTHENTICATED;
    }

    /**
     * Whether only this host is reached there. A name may lead anywhere, unless it is localhost; nothing is looked up.
     */
    public static boolean staysOnHost(PeerAddress address) {
        if (address.isUnix() || address.host().equalsIgnoreCase("localhost")) {
            return true;
        }
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address.host());
        try {
            return bytes != null && InetAddress.getByAddress(bytes).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
