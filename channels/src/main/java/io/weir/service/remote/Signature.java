package io.weir.service.remote;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A method of an interface that is called remotely, with the types that it has there.
 *
 * @param method as the interface, or one that it extends, declares it
 * @param key by which the two sides find it: its name and the erased types of its parameters
 */
record Signature(Method method, String key, List<Type> parameters, Type result) {

    /**
     * Those of an interface and of those it extends, in the order of their keys, which both sides share. A method that
     * several of them declare is there once, with its most special result.
     */
    static List<Signature> of(Class<?> type) {
        TypeArguments arguments = new TypeArguments(type);
        Map<String, Signature> found = new TreeMap<>();
        for (Method each : type.getMethods()) {
            if (Modifier.isAbstract(each.getModifiers()) && !isOfObject(each)) {
                Signature signature = of(each, arguments);
                found.merge(signature.key, signature, Signature::moreSpecial);
            }
        }
        return new ArrayList<>(found.values());
    }

    private static Signature of(Method method, TypeArguments arguments) {
        try {
            List<Type> parameters = Arrays.stream(method.getGenericParameterTypes())
                    .map(arguments::resolve)
                    .toList();
            String key = method.getName()
                    + TypeText.list(parameters.stream().map(each -> TypeText.of(TypeArguments.erased(each))));
            return new Signature(method, key, parameters, arguments.resolve(method.getGenericReturnType()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(method.getName() + ": " + e.getMessage(), e);
        }
    }

    /** What an interface declares anew is a method of each object all the same. */
    private static boolean isOfObject(Method method) {
        return Arrays.stream(Object.class.getMethods())
                .filter(each -> each.getName().equals(method.getName()))
                .anyMatch(each -> Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
    }

    private Signature moreSpecial(Signature other) {
        return method.getReturnType().isAssignableFrom(other.method.getReturnType()) ? other : this;
    }

    /** With generic types and the result. */
    String text() {
        return method.getName() + TypeText.list(parameters.stream().map(TypeText::of)) + ": " + TypeText.of(result);
    }

    /** For people: {@code Ledger.balance(String)}. */
    String title(Class<?> type) {
        return TypeText.brief(type.getName() + '.' + key);
    }

    void define(Map<String, String> definitions) {
        parameters.forEach(each -> TypeText.define(each, definitions));
        TypeText.define(result, definitions);
    }
}
