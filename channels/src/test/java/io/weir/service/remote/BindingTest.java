package io.weir.service.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.channel.Peer;
import io.weir.channel.UnconnectedPeer;
import io.weir.core.ProtocolMismatch;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class BindingTest {

    interface Ledger {

        Mono<Long> balance(String account);

        Mono<Void> book(String account, long amount);
    }

    /** In the order of their numbers: balance, book. */
    private final List<ContractMethod> methods = methods();

    private final Peer peer = UnconnectedPeer.named("billing");
    private final Callee callee = new Callee(peer, "ledger");

    private static List<ContractMethod> methods() {
        // References are needed by interfaces that pass some; this one does not.
        @SuppressWarnings("NullAway")
        Terms terms = new Terms(CallCodecs.cbor(), null, null, false, ProxyOptions.standard(), null);
        return terms.contract(Ledger.class).methods();
    }

    @Test
    void ourNumbersAreTranslatedIntoThePeers() {
        Binding binding = new Binding(callee, 0, new int[] {5, 0});
        assertThat(methods).extracting(binding::number).containsExactly(5, 0);
    }

    @Test
    void aMethodThatThePeerDoesNotHaveIsNamed() {
        Binding binding = new Binding(callee, 0, new int[] {0, -1});
        assertThat(binding.number(methods.get(0))).isZero();
        assertThatThrownBy(() -> binding.number(methods.get(1)))
                .isInstanceOf(ProtocolMismatch.class)
                .hasMessageContaining("Ledger.book(String, long)")
                .hasMessageContaining(peer.id().toString());
    }

    @Test
    void itDoesNotChangeWithTheNumbersThatItWasGiven() {
        int[] numbers = {1, 2};
        Binding binding = new Binding(callee, 0, numbers);
        numbers[0] = -1;
        assertThat(binding.number(methods.get(0))).isOne();
    }

    @Test
    void itKnowsWhatIsCalledWhere() {
        Binding binding = new Binding(callee, 42, new int[0]);
        assertThat(binding.callee()).isSameAs(callee);
        assertThat(binding.peer()).isSameAs(peer);
        assertThat(binding.object()).isEqualTo(42);
        assertThat(binding.streamPort()).startsWith("ledger").isNotEqualTo("ledger");
    }

    /** A call then needs no subscription to find out whom it goes to. */
    @Test
    void whoTakesACallAtOnceIsKnownAtOnce() throws Exception {
        Binding binding = new Binding(callee, 0, new int[0]);
        Bindings always = binding::ready;
        assertThat(always.next()).isInstanceOf(Callable.class);
        assertThat(((Callable<?>) always.next()).call()).isSameAs(binding);
        assertThat(always.next().block()).isSameAs(binding);
    }
}
