package io.weir.service.remote;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Types as text, which two sides compare: names, and what is behind the names of records and enums. */
final class TypeText {

    /** Possessive: the other form needs stack for each part of a name, and peers send such names. */
    private static final Pattern PACKAGE = Pattern.compile("\\b(?:[\\p{Ll}_]\\w*+\\.)++");

    private TypeText() {}

    /** With full names. */
    static String of(Type type) {
        if (type instanceof ParameterizedType applied) {
            String name = applied.getOwnerType() instanceof ParameterizedType owner
                    ? of(owner) + '$' + ((Class<?>) applied.getRawType()).getSimpleName()
                    : of(applied.getRawType());
            Type[] arguments = applied.getActualTypeArguments();
            return arguments.length == 0 ? name : name + '<' + list(arguments, ", ") + '>';
        }
        if (type instanceof GenericArrayType array) {
            return of(array.getGenericComponentType()) + "[]";
        }
        return type.getTypeName();
    }

    /** For people: without packages. */
    static String brief(String text) {
        return PACKAGE.matcher(text).replaceAll("").replace('$', '.');
    }

    /**
     * Adds by name what is behind this type and those that it consists of. A type that leads back to itself is there
     * already.
     */
    static void define(Type type, Map<String, String> definitions) {
        if (type instanceof ParameterizedType applied) {
            define(applied.getRawType(), definitions);
            define(applied.getActualTypeArguments(), definitions);
            if (applied.getOwnerType() instanceof ParameterizedType owner) {
                define(owner, definitions);
            }
        } else if (type instanceof GenericArrayType array) {
            define(array.getGenericComponentType(), definitions);
        } else if (type instanceof WildcardType wildcard) {
            define(wildcard.getUpperBounds(), definitions);
            define(wildcard.getLowerBounds(), definitions);
        } else if (type instanceof Class<?> it && it.isArray()) {
            define(it.getComponentType(), definitions);
        } else if (type instanceof Class<?> it && !definitions.containsKey(it.getName())) {
            if (it.isRecord()) {
                RecordComponent[] components = it.getRecordComponents();
                definitions.put(
                        it.getName(),
                        "record"
                                + bounds(it)
                                + list(Arrays.stream(components)
                                        .map(each -> of(each.getGenericType()) + ' ' + each.getName())));
                Arrays.stream(it.getTypeParameters()).forEach(each -> define(each.getBounds(), definitions));
                Arrays.stream(components).forEach(each -> define(each.getGenericType(), definitions));
            } else if (it.isAnnotationPresent(Remote.class)) {
                definitions.put(it.getName(), "");
                List<Signature> signatures = Signature.of(it);
                definitions.put(
                        it.getName(), "remote" + list(signatures.stream().map(Signature::text)));
                signatures.forEach(each -> each.define(definitions));
            } else if (it.isEnum()) {
                definitions.put(
                        it.getName(),
                        "enum" + list(Arrays.stream(it.getEnumConstants()).map(each -> ((Enum<?>) each).name())));
            }
        }
    }

    private static void define(Type[] types, Map<String, String> definitions) {
        for (Type each : types) {
            define(each, definitions);
        }
    }

    /** What its variables have to extend. */
    private static String bounds(Class<?> type) {
        String bounds = Arrays.stream(type.getTypeParameters())
                .filter(each -> each.getBounds()[0] != Object.class)
                .map(each -> each + " extends " + list(each.getBounds(), " & "))
                .collect(Collectors.joining(", "));
        return bounds.isEmpty() ? "" : '<' + bounds + '>';
    }

    private static String list(Type[] types, String between) {
        return Arrays.stream(types).map(TypeText::of).collect(Collectors.joining(between));
    }

    static String list(Stream<String> parts) {
        return parts.collect(Collectors.joining(", ", "(", ")"));
    }
}
