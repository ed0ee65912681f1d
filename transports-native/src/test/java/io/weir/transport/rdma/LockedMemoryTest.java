package io.weir.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LockedMemoryTest {

    @Test
    void theCapabilityToLockMemoryIsOneBit() {
        assertThat(LockedMemory.mayExceed("0000000000004000")).isTrue();
        assertThat(LockedMemory.mayExceed("ffffffffffffffff")).isTrue();
        assertThat(LockedMemory.mayExceed("0000000000003fff")).isFalse();
        assertThat(LockedMemory.mayExceed("ffffffffffffbfff")).isFalse();
    }
}
