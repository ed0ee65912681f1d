package io.weir.benchmark;

import io.weir.benchmark.contender.Measurement;

/**
 * One measurement and what it cost. Processors are counted in cores: 0.5 is half a processor for the whole time.
 *
 * @param serverCores processor time of the server's process
 * @param clientCores processor time of the client's process
 * @param foreignCores processor time of everybody else on this host
 * @param stolenCores processor time that the hypervisor gave to other guests
 * @param serverRssBytes resident memory of the server at the end
 * @param clientRssBytes resident memory of the client at the end
 * @param serverSwitchesPerSecond how often threads of the server went to sleep
 * @param clientSwitchesPerSecond how often threads of the client went to sleep
 * @param serverHeldBytes by how much the server's memory in use has grown; only told where the client stalls
 */
record Outcome(
        Measurement measured,
        double serverCores,
        double clientCores,
        double foreignCores,
        double stolenCores,
        long serverRssBytes,
        long clientRssBytes,
        double serverSwitchesPerSecond,
        double clientSwitchesPerSecond,
        long serverHeldBytes) {

    /** Processor time of both for a million messages, in seconds. */
    double cpuSecondsPerMillion() {
        return (serverCores + clientCores) / measured.rate() * 1e6;
    }
}
