package io.weir.service.remote;

import io.weir.core.Misconfigured;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An interface that is called remotely, as this side has it. Immutable. */
final class Contract {

    private final Class<?> type;
    private final String codec;
    private final List<ContractMethod> methods;

    /** @throws Misconfigured if it can't be called remotely, naming the method */
    Contract(Class<?> type, Terms terms) {
        this.type = type;
        this.codec = terms.codec().name();
        this.methods = methods(type, terms);
    }

    private static List<ContractMethod> methods(Class<?> type, Terms terms) {
        if (!type.isInterface() || type.isAnnotation()) {
            throw new Misconfigured(type.getName() + " is no interface: only interfaces are called remotely");
        }
        List<ContractMethod> methods = new ArrayList<>();
        try {
            for (Signature each : Signature.of(type)) {
                methods.add(new ContractMethod(type, each, methods.size(), terms));
            }
        } catch (IllegalArgumentException e) {
            throw new Misconfigured(type.getName() + " can't be called remotely: " + e.getMessage(), e);
        }
        if (methods.isEmpty()) {
            throw new Misconfigured(type.getName() + " has no method that could be called remotely");
        }
        return List.copyOf(methods);
    }

    Class<?> type() {
        return type;
    }

    String codec() {
        return codec;
    }

    /** By their numbers. */
    List<ContractMethod> methods() {
        return methods;
    }

    /** The method of this number; null if there is none. */
    @Nullable
    ContractMethod method(int number) {
        return number < methods.size() ? methods.get(number) : null;
    }

    /** The method that is called by this one, which an interface above may declare; null if it is none of these. */
    @Nullable
    ContractMethod method(Method called) {
        for (ContractMethod each : methods) {
            if (each.isCalledBy(called)) {
                return each;
            }
        }
        return null;
    }

    /** The interfaces whose objects are passed by reference. */
    Stream<Class<?>> referenced() {
        return methods.stream().flatMap(ContractMethod::referenced);
    }

    /** Without its package. */
    String name() {
        return TypeText.brief(type.getName());
    }
}
