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
 * at when it is complete, before it can become an element of another one, and what all of them take together counts:
 * one that is in many others is computed as often. What is in a collection that nobody has shown, as it is still being
 * read or was made by a class of its own, is looked at where it is used. Fields that their module does not open are not
 * seen. One thread.
 */
final class HashWork {

    /** In steps, for the whole stream: a fraction of a millisecond. */
    private static final long FREE = 1 << 14;

    /** In steps for each object of the stream and each reference to one: more than such objects may be deep. */
    private static final long FAIR = 32;

    /** Collections in each other that were not shown. */
    private static final int DEEPEST = 64;

    /** Larger sums mean nothing. */
    private static final long VERY_MUCH = Long.MAX_VALUE / 4;

    private final IdentityHashMap<Object, Long> known = new IdentityHashMap<>();
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final Map<Class<?>, Boolean> byIdentity = new HashMap<>();
    /** Objects and references to them. */
    private long references;

    /** What has been complete so far takes so many steps together, and to look at what nobody has shown. */
    private long total;

    /**
     * The next one that is complete.
     *
     * @throws InvalidObjectException if the hash codes of all so far would take more work than is fair
     */
    void complete(Object object) throws InvalidObjectException {
        references++;
        if (byIdentity.computeIfAbsent(object.getClass(), HashWork::hashesByIdentity)) {
            return;
        }
        long steps = steps(object);
        total = Math.min(VERY_MUCH, total + steps);
        if (total > most()) {
            throw new InvalidObjectException(
                    "hash codes, up to that of " + object.getClass().getName() + ", would take more than " + most()
                            + " steps, as the same is there again and again");
        }
        if (steps > 1) {
            known.put(object, steps);
        }
    }

    private long most() {
        return FREE + FAIR * references;
    }

    private static boolean hashesByIdentity(Class<?> type) {
        try {
            return type.getMethod("hashCode").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private long steps(Object object) {
        if (isCollection(object)) {
            return looked(object, 0);
        }
        long sum = 1;
        for (Field each : fields.computeIfAbsent(object.getClass(), HashWork::readable)) {
            sum = plus(sum, valueOf(each, object), 0);
        }
        return sum;
    }

    private static boolean isCollection(Object object) {
        return object instanceof Collection || object instanceof Map || object instanceof Map.Entry;
    }

    private long looked(Object object, int depth) {
        long sum = 1;
        if (object instanceof Map.Entry<?, ?> entry) {
            sum = plus(plus(sum, entry.getKey(), depth), entry.getValue(), depth);
        } else if (object instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> each : map.entrySet()) {
                sum = plus(plus(sum, each.getKey(), depth), each.getValue(), depth);
            }
        } else {
            for (Object each : (Collection<?>) object) {
                sum = plus(sum, each, depth);
            }
        }
        return sum;
    }

    private long plus(long sum, @Nullable Object element, int depth) {
        if (depth == 0) {
            references++;
        }
        return Math.min(VERY_MUCH, sum + (element == null ? 1 : stepsOf(element, depth)));
    }

    private long stepsOf(Object element, int depth) {
        Long its = known.get(element);
        if (its != null) {
            return its;
        }
        return isCollection(element) ? unshown(element, depth) : 1;
    }

    /** A collection that is not complete, or that a class has made itself. It may contain itself. */
    private long unshown(Object collection, int depth) {
        if (depth > DEEPEST || total > most()) {
            return VERY_MUCH;
        }
        long steps = 1;
        try {
            steps = looked(collection, depth + 1);
        } catch (RuntimeException e) {
            // Too little of it is there to be looked at.
        }
        total = Math.min(VERY_MUCH, total + steps);
        return steps;
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
