package io.weir.transport.elan;

import io.weir.core.Transport;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.AgreementContract;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Emulation.class)
class ElanAgreementOnEmulation extends AgreementContract {

    @BeforeEach
    void joinTheJob() {
        ElanJob unused = Emulation.job();
    }

    @Override
    protected Transport transport() {
        return new ElanTransport();
    }

    @Override
    protected TransportSettings settings() {
        return Emulation.settings(Map.of());
    }
}
