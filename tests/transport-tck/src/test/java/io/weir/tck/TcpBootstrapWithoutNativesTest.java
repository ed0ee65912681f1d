package io.weir.tck;

class TcpBootstrapWithoutNativesTest implements BootstrapContract {

    @Override
    public boolean nativeAllowed() {
        return false;
    }
}
