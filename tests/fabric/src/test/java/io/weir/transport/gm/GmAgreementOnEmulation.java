package io.weir.transport.gm;

import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.AgreementContract;
import java.util.Map;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Emulation.class)
class GmAgreementOnEmulation extends AgreementContract {

    @Override
    protected Transport transport() {
        return new GmTransport();
    }

    @Override
    protected TransportSettings settings() {
        return Emulation.settings(Map.of());
    }
}
