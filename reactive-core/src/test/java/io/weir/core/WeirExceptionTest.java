package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WeirExceptionTest {

    private static final Set<Class<?>> RETRYABLE =
            Set.of(PeerUnavailable.class, SessionLost.class, TimedOut.class, Overloaded.class);

    private static final Set<Class<?>> PERMANENT = Set.of(
            Misconfigured.class,
            PathRequired.class,
            ProtocolMismatch.class,
            Refused.class,
            MessageTooLarge.class,
            RemoteFailure.class);

    @Test
    void everyOneIsEitherRetryableOrPermanent() {
        assertThat(WeirException.class.getPermittedSubclasses())
                .containsExactlyInAnyOrder(WeirException.Retryable.class, WeirException.Permanent.class);
        assertThat(WeirException.Retryable.class.getPermittedSubclasses())
                .containsExactlyInAnyOrderElementsOf(RETRYABLE);
        assertThat(WeirException.Permanent.class.getPermittedSubclasses())
                .containsExactlyInAnyOrderElementsOf(PERMANENT);
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void keepsItsMessageAndItsCause(Class<? extends WeirException> type) throws ReflectiveOperationException {
        Exception cause = new Exception("cause");

        assertThat(Modifier.isFinal(type.getModifiers())).isTrue();
        assertThat(type.getConstructor(String.class).newInstance("what"))
                .isInstanceOf(RuntimeException.class)
                .hasMessage("what")
                .hasNoCause();
        assertThat(type.getConstructor(String.class, Throwable.class).newInstance("what", cause))
                .hasMessage("what")
                .hasCause(cause);
    }

    static Stream<Class<?>> leaves() {
        return Arrays.stream(WeirException.class.getPermittedSubclasses())
                .flatMap(branch -> Arrays.stream(branch.getPermittedSubclasses()));
    }
}
