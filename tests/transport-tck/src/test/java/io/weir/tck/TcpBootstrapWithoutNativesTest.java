package io.weir.tck;

import org.junit.jupiter.api.Tag;

@Tag("whole")
class TcpBootstrapWithoutNativesTest implements BootstrapContract {

    @Override
    public boolean nativeAllowed() {
        return false;
    }
}
