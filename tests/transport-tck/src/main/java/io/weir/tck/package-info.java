/**
 * What a transport promises, as tests that a transport of anybody's can run.
 *
 * <p>A test class that implements {@link io.weir.tck.TransportContract} and names its path is the whole work:
 *
 * <pre>{@code
 * class TcpTransportTest implements TransportContract {
 *     public TransportFixture fixture() {
 *         return TransportFixture.of("tcp");
 *     }
 * }
 * }</pre>
 *
 * <p>A path that is missing here skips its tests with the reason, unless {@code -Dweir.required.transports=tcp,shm}
 * names it: then they fail. All randomness comes from {@link io.weir.tck.Seed}.
 */
@NullMarked
package io.weir.tck;

import org.jspecify.annotations.NullMarked;
