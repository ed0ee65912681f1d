module com.example.shop {
    requires io.weir.channel;
    requires tools.jackson.databind;
    requires tools.jackson.dataformat.cbor;

    opens com.example.shop to
            io.weir.channel,
            io.weir.core,
            tools.jackson.databind;
}
