package io.weir.service.remote;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * Stands for an object that is elsewhere: its methods are called there, default methods and those of every object run
 * here.
 */
final class RemoteProxy implements InvocationHandler {

    private static final @Nullable Object[] NONE = {};

    private final Contract contract;
    private final Bindings bindings;
    /** By their numbers. */
    private final List<CallingMethod> methods = new ArrayList<>();
    /**
     * By the objects with which the JDK's proxies name methods, as they turn up: to look one up by its identity takes a
     * few nanoseconds. Never changed, but replaced.
     */
    private volatile IdentityHashMap<Method, CallingMethod> known = new IdentityHashMap<>();

    private final ConcurrentMap<Method, MethodHandle> defaults = new ConcurrentHashMap<>();

    private RemoteProxy(Contract contract, Bindings bindings, Terms terms) {
        this.contract = contract;
        this.bindings = bindings;
        contract.methods().forEach(each -> methods.add(new CallingMethod(each, bindings, terms)));
    }

    /** @param more interfaces that it has as well; their methods are those of the bindings */
    static Object of(Contract contract, Bindings bindings, Terms terms, Class<?>... more) {
        Class<?>[] interfaces = new Class<?>[more.length + 1];
        interfaces[0] = contract.type();
        System.arraycopy(more, 0, interfaces, 1, more.length);
        return Proxy.newProxyInstance(
                contract.type().getClassLoader(), interfaces, new RemoteProxy(contract, bindings, terms));
    }

    /** Whom this object calls, if it is such a proxy; else null. */
    static @Nullable Bindings bindings(Object object) {
        return Proxy.isProxyClass(object.getClass()) && Proxy.getInvocationHandler(object) instanceof RemoteProxy it
                ? it.bindings
                : null;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        CallingMethod called = known.get(method);
        return called != null
                ? called.call(arguments == null ? NONE : arguments)
                : first(proxy, method, arguments == null ? NONE : arguments);
    }

    private @Nullable Object first(Object proxy, Method method, @Nullable Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, method, arguments);
        }
        if (method.isDefault()) {
            return defaults.computeIfAbsent(method, RemoteProxy::handle)
                    .bindTo(proxy)
                    .invokeWithArguments(arguments);
        }
        ContractMethod called = contract.method(method);
        if (called == null) {
            return method.invoke(bindings, arguments);
        }
        CallingMethod calling = methods.get(called.number());
        remember(method, calling);
        return calling.call(arguments);
    }

    private synchronized void remember(Method method, CallingMethod calling) {
        IdentityHashMap<Method, CallingMethod> more = new IdentityHashMap<>(known);
        more.put(method, calling);
        known = more;
    }

    @SuppressWarnings("ReferenceEquality") // Two proxies are two objects, as any others are.
    private Object ofObject(Object proxy, Method method, @Nullable Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "remote " + bindings;
        };
    }

    private static MethodHandle handle(Method method) {
        Class<?> type = method.getDeclaringClass();
        try {
            // Method handles also need our module to read the other one.
            var unused = RemoteProxy.class.getModule().addReads(type.getModule());
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup()).unreflectSpecial(method, type);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(
                    method + " can't be called: the module of " + type.getName() + " has to open its package", e);
        }
    }

    @Override
    public String toString() {
        return Objects.toString(bindings);
    }
}
