package io.weir.benchmark.contender;

/**
 * What a client has measured.
 *
 * @param messages how many messages, round trips or requests were completed
 * @param seconds how long that took
 * @param p50Nanos half of the round trips took no longer; zero where round trips are not timed, as the next two
 * @param p99Nanos 99 % of the round trips took no longer
 * @param p999Nanos 99.9 % of the round trips took no longer
 * @param heldBytes by how much the memory in use has grown; only told where the client stalls
 */
public record Measurement(long messages, double seconds, long p50Nanos, long p99Nanos, long p999Nanos, long heldBytes) {

    /** Messages, round trips or requests in a second. */
    public double rate() {
        return messages / seconds;
    }
}
