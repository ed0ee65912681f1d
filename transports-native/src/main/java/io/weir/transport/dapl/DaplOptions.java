package io.weir.transport.dapl;

import io.weir.core.Misconfigured;
import io.weir.core.Network;
import io.weir.core.TransportSettings;
import io.weir.transport.rdma.RemoteOptions;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of this path.
 *
 * @param adapter the name of the one that may be used; empty if the first one that can be opened is
 * @param networks where adapters of peers may be, besides the network of ours
 * @param memory those that every path over RDMA has
 */
record DaplOptions(String adapter, List<Network> networks, RemoteOptions memory) {

    private static final String ADAPTER = "adapter";
    private static final String NETWORKS = "networks";

    static final Set<String> NAMES = Stream.concat(Stream.of(ADAPTER, NETWORKS), RemoteOptions.NAMES.stream())
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern NAME = Pattern.compile("([A-Za-z0-9_][A-Za-z0-9_.:-]{0,254})?");

    /**
     * Reads them.
     *
     * @throws Misconfigured naming what is wrong
     */
    static DaplOptions of(TransportSettings settings) {
        String adapter = settings.options().getOrDefault(ADAPTER, "").trim();
        if (!NAME.matcher(adapter).matches()) {
            throw new Misconfigured(
                    ADAPTER + "=" + adapter + " is not the name of an adapter, such as ofa-v2-mlx5_0-1");
        }
        return new DaplOptions(adapter, settings.networks(NETWORKS), RemoteOptions.of(settings));
    }
}
