package io.weir.integration;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What an interface below it takes over, with types that only that one knows. */
public interface Archive<K, V> {

    enum Kind {
        IN,
        OUT
    }

    record Entry(int number, Kind kind, @Nullable String note, List<Entry> parts) {

        public static Entry of(int number) {
            return new Entry(number, number % 2 == 0 ? Kind.IN : Kind.OUT, null, List.of());
        }
    }

    Mono<V> find(K key);

    Mono<List<V>> all(Map<K, V> by);
}
