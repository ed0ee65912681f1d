package io.weir.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
            AuthenticationFailed.class,
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

        // Calls of interfaces add what they know to a failure.
        assertThat(Modifier.isFinal(type.getModifiers())).isEqualTo(type != RemoteFailure.class);
        assertThat(type.getConstructor(String.class).newInstance("what"))
                .isInstanceOf(RuntimeException.class)
                .hasMessage("what")
                .hasNoCause();
        assertThat(type.getConstructor(String.class, Throwable.class).newInstance("what", cause))
                .hasMessage("what")
                .hasCause(cause);
    }

    @ParameterizedTest
    @MethodSource("leaves")
    void saysWhatMayBeRepeated(Class<? extends WeirException> type) throws ReflectiveOperationException {
        WeirException error = type.getConstructor(String.class).newInstance("what");

        assertThat(error.repeat())
                .isEqualTo(
                        PERMANENT.contains(type)
                                ? Repeat.NEVER
                                : type == SessionLost.class ? Repeat.IDEMPOTENT : Repeat.ANY);
        assertThat(WeirException.mayRepeat(error)).isEqualTo(error.repeat() == Repeat.ANY);
        assertThat(WeirException.mayRepeatIdempotent(error)).isEqualTo(RETRYABLE.contains(type));
        assertThat(error.unsent()).isInstanceOf(type).hasMessage("what");
        assertThat(error.unsent().repeat()).isEqualTo(PERMANENT.contains(type) ? Repeat.NEVER : Repeat.ANY);
    }

    @Test
    void whatWasNotSentKeepsTheReason() {
        SessionLost lost = new SessionLost("gone");
        assertThat(lost.unsent()).hasCause(lost);
        Overloaded full = new Overloaded("full", null, Repeat.IDEMPOTENT);
        assertThat(full.unsent()).hasCause(full);
        assertThat(full.unsent().unsent().repeat()).isEqualTo(Repeat.ANY);
        assertThatIllegalArgumentException().isThrownBy(() -> new SessionLost("gone", null, Repeat.NEVER));
    }

    @Test
    void errorsOfOthersAreNotRepeated() {
        Exception foreign = new IllegalStateException();
        assertThat(WeirException.mayRepeat(foreign)).isFalse();
        assertThat(WeirException.mayRepeatIdempotent(foreign)).isFalse();
    }

    static Stream<Class<?>> leaves() {
        return Arrays.stream(WeirException.class.getPermittedSubclasses())
                .flatMap(branch -> Arrays.stream(branch.getPermittedSubclasses()));
    }
}
