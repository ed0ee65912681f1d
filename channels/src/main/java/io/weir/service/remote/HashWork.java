package io.weir.service.remote;

import java.io.InvalidObjectException;
import java.io.ObjectStreamClass;
import java.io.ObjectStreamField;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How much work it is to compute the hash codes of what one stream has made. Sets that are in each other more than once
 * take twice as long with each level, so that some hundred bytes would keep a thread for years. Each object is looked
 * at when it is complete, before it can become an element of another one. One thread.
 */
final class HashWork {

    /** In steps, beside a fair number for each object of the stream and each reference to one. */
    private static final long FREE = 1024;

    private static final long FAIR = 16;

    /** Larger sums mean nothing. */
    private static final long VERY_MUCH = Long.MAX_VALUE / 4;

    private final IdentityHashMap<Object, Long> known = new IdentityHashMap<>();
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    /** Objects and references to them. */
    private long references;

    /**
     * The next one that is complete.
     *
     * @throws InvalidObjectException if its hash code would take more work than is fair
     */
    void complete(Object object) throws InvalidObjectException {
        references++;
        long steps = steps(object);
        if (steps > FREE + FAIR * references) {
            throw new InvalidObjectException(
                    "the hash code of " + object.getClass().getName() + " would take more than "
                            + (FREE + FAIR * references) + " steps, as what is in it is there again and again");
        }
        if (steps > 1) {
            known.put(object, steps);
        }
    }

    private long steps(Object object) {
        long sum = 1;
        if (object instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> each : map.entrySet()) {
                sum = plus(plus(sum, each.getKey()), each.getValue());
            }
        } else if (object instanceof Collection<?> collection) {
            for (Object each : collection) {
                sum = plus(sum, each);
            }
        } else if (!object.getClass().isArray()) {
            for (Field each : fields.computeIfAbsent(object.getClass(), HashWork::readable)) {
                sum = plus(sum, valueOf(each, object));
            }
        }
        return sum;
    }

    private long plus(long sum, @Nullable Object element) {
        references++;
        return Math.min(VERY_MUCH, sum + (element == null ? 1 : known.getOrDefault(element, 1L)));
    }

    /** The fields that are in the stream and hold objects, as far as we may look at them. */
    private static List<Field> readable(Class<?> type) {
        ObjectStreamClass described = ObjectStreamClass.lookup(type);
        Class<?> parent = type.getSuperclass();
        Stream<Field> own = described == null
                ? Stream.empty()
                : Stream.of(described.getFields())
                        .filter(each -> !each.isPrimitive())
                        .map(each -> readable(type, each))
                        .filter(Objects::nonNull);
        return Stream.concat(own, parent == null ? Stream.empty() : readable(parent).stream())
                .toList();
    }

    private static @Nullable Field readable(Class<?> type, ObjectStreamField named) {
        try {
            Field field = type.getDeclaredField(named.getName());
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException | RuntimeException e) {
            return null;
        }
    }

    private static @Nullable Object valueOf(Field field, Object object) {
        try {
            return field.get(object);
        } catch (IllegalAccessException e) {
            return null;
        }
    }
}
