package io.weir.hostile.client;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Frames that are messages of a channel to the port {@code weir.tunnel}: what a gateway brings to a node. */
public final class TunnelWire implements Wire {

    private static final long PLENTY = 1L << 40;

    private final Session outer;
    private final Channel channel;

    /** Plays a gateway that has been asked to lead a session to the node at the other end of {@code outer}. */
    public TunnelWire(Session outer) throws IOException {
        this.outer = outer;
        channel = outer.open("weir.tunnel", 0, PLENTY, PLENTY);
        take(Kind.ACCEPT);
        Map<String, String> way = new LinkedHashMap<>();
        way.put("weir-gateways", "hostile");
        way.put("weir-paths", "tcp");
        channel.send(Frame.data(channel.number(), new byte[0]).withControl(Frame.control(way)));
    }

    @Override
    public String path() {
        return "gateway";
    }

    @Override
    public String dialled() {
        return "";
    }

    @Override
    public synchronized void send(Frame... frames) throws IOException {
        for (Frame frame : frames) {
            channel.send(Frame.data(channel.number(), frame.unpadded()));
        }
    }

    @Override
    public Frame receive() throws IOException {
        return Frame.parse(take(Kind.DATA).body());
    }

    private Frame take(int kind) throws IOException {
        while (true) {
            Frame frame = outer.next();
            if (frame.channel() == channel.number()) {
                if (frame.kind() == kind) {
                    return frame;
                }
                if (frame.kind() == Kind.ERROR || frame.kind() == Kind.END) {
                    throw new IOException("the tunnel has ended: " + frame);
                }
            }
        }
    }

    @Override
    public void close() {
        outer.close();
    }
}
