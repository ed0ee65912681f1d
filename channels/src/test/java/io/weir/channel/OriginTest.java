package io.weir.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.NetUtil;
import io.weir.core.Ends;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class OriginTest {

    private static Origin from(String address, int port) throws UnknownHostException {
        InetAddress far = InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(address));
        InetSocketAddress near = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7400);
        return Origin.of(new Ends(near, new InetSocketAddress(far, port), -1));
    }

    @Test
    void whatOneMayHaveManyOfIsOnePlace() throws UnknownHostException {
        assertThat(from("10.0.0.7", 1000)).isEqualTo(from("10.0.0.7", 1001)).isNotEqualTo(from("10.0.0.8", 1000));
        assertThat(from("2001:db8:1:2::1", 1000))
                .isEqualTo(from("2001:db8:1:2:ffff:1::9", 1000))
                .isNotEqualTo(from("2001:db8:1:3::1", 1000));
        assertThat(from("127.0.0.1", 1000))
                .isEqualTo(from("127.1.2.3", 1000))
                .isEqualTo(from("::1", 1000))
                .isNotEqualTo(from("10.0.0.7", 1000));
        assertThat(Origin.of(new Ends(null, null, 1000)))
                .isEqualTo(Origin.of(new Ends(null, null, 1000)))
                .isNotEqualTo(Origin.of(new Ends(null, null, 1001)));
        assertThat(Origin.of(Ends.UNKNOWN)).isEqualTo(Origin.UNKNOWN);
    }
}
