package io.weir.tck;

class TcpBootstrapTest implements BootstrapContract {}
