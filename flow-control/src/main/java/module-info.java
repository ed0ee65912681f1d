/** Credits, windows and lanes: how the channels of Weir account for what is under way. Only they may use it. */
@SuppressWarnings("module") // It is compiled before the module that may use it.
module io.weir.flow {
    requires static transitive org.jspecify;

    exports io.weir.flow to
            io.weir.channel;
}
