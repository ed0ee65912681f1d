package io.weir.service.remote;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the type variables stand for that an interface and those it extends use. */
final class TypeArguments {

    private final Map<TypeVariable<?>, Type> arguments = new HashMap<>();

    TypeArguments(Class<?> type) {
        collect(type);
    }

    private void collect(Class<?> type) {
        for (Type each : type.getGenericInterfaces()) {
            if (each instanceof ParameterizedType applied) {
                Class<?> raw = (Class<?>) applied.getRawType();
                for (int i = 0; i < raw.getTypeParameters().length; i++) {
                    arguments.put(raw.getTypeParameters()[i], applied.getActualTypeArguments()[i]);
                }
                collect(raw);
            } else {
                collect((Class<?>) each);
            }
        }
    }

    /**
     * The same type without variables and wildcards. A wildcard becomes the type that it extends, or else the bound of
     * the variable that it stands for. So {@code ? super Integer} may become {@code Object}, which is what can be read.
     *
     * @throws IllegalArgumentException if nothing says what a variable stands for
     */
    Type resolve(Type type) {
        if (type instanceof TypeVariable<?> variable) {
            Type argument = arguments.get(variable);
            if (argument == null) {
                throw new IllegalArgumentException("nothing says what " + variable + " of "
                        + variable.getGenericDeclaration() + " is: declare an interface that does");
            }
            return resolve(argument);
        }
        if (type instanceof WildcardType wildcard) {
            return resolve(wildcard.getUpperBounds()[0]);
        }
        if (type instanceof ParameterizedType applied) {
            Class<?> raw = (Class<?>) applied.getRawType();
            Type[] resolved = applied.getActualTypeArguments();
            for (int i = 0; i < resolved.length; i++) {
                resolved[i] = argument(raw.getTypeParameters()[i], resolved[i]);
            }
            Type owner = applied.getOwnerType();
            return new Applied(raw, owner == null ? null : resolve(owner), resolved);
        }
        if (type instanceof GenericArrayType array) {
            Type component = resolve(array.getGenericComponentType());
            return component instanceof Class<?> plain ? plain.arrayType() : new ArrayOf(component);
        }
        return type;
    }

    private Type argument(TypeVariable<?> variable, Type argument) {
        return argument instanceof WildcardType wildcard && wildcard.getUpperBounds()[0] == Object.class
                ? erased(variable)
                : resolve(argument);
    }

    static Class<?> erased(Type type) {
        if (type instanceof TypeVariable<?> variable) {
            return erased(variable.getBounds()[0]);
        }
        if (type instanceof ParameterizedType applied) {
            return (Class<?>) applied.getRawType();
        }
        if (type instanceof GenericArrayType array) {
            return Array.newInstance(erased(array.getGenericComponentType()), 0).getClass();
        }
        return (Class<?>) type;
    }

    private record ArrayOf(Type getGenericComponentType) implements GenericArrayType {

        @Override
        public String toString() {
            return getGenericComponentType.getTypeName() + "[]";
        }
    }

    private static final class Applied implements ParameterizedType {

        private final Class<?> raw;
        private final @Nullable Type owner;
        private final Type[] arguments;

        Applied(Class<?> raw, @Nullable Type owner, Type[] arguments) {
            this.raw = raw;
            this.owner = owner;
            this.arguments = arguments;
        }

        @Override
        public Type[] getActualTypeArguments() {
            return arguments.clone();
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public @Nullable Type getOwnerType() {
            return owner;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof ParameterizedType it
                    && raw.equals(it.getRawType())
                    && Objects.equals(owner, it.getOwnerType())
                    && Arrays.equals(arguments, it.getActualTypeArguments());
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(arguments) ^ Objects.hashCode(owner) ^ raw.hashCode();
        }

        @Override
        public String toString() {
            return TypeText.of(this);
        }
    }
}
