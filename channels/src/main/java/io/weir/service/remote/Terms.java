package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.CallInterceptor;
import io.weir.core.Misconfigured;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What an export or a proxy has in common with the references that are passed through it: they are written, called and
 * served in the same way. Any thread.
 *
 * @param references the objects that are passed by reference
 * @param workers where methods of ours run that may block
 * @param tellsStacks whether peers get the stacks of our exceptions
 * @param calling how we call
 * @param interceptor who watches the calls, in either direction
 */
record Terms(
        CallCodec codec,
        ObjectTable references,
        Workers workers,
        boolean tellsStacks,
        ProxyOptions calling,
        @Nullable CallInterceptor interceptor,
        ConcurrentMap<Class<?>, Contract> contracts) {

    Terms(
            CallCodec codec,
            ObjectTable references,
            Workers workers,
            boolean tellsStacks,
            ProxyOptions calling,
            @Nullable CallInterceptor interceptor) {
        this(codec, references, workers, tellsStacks, calling, interceptor, new ConcurrentHashMap<>());
    }

    /**
     * How this interface is called on these terms.
     *
     * @throws Misconfigured if it can't be called remotely
     */
    Contract contract(Class<?> type) {
        Contract known = contracts.get(type);
        if (known != null) {
            return known;
        }
        Contract made = new Contract(type, this);
        Contract earlier = contracts.putIfAbsent(type, made);
        if (earlier != null) {
            return earlier;
        }
        // What can't work fails now, not when the first object is passed.
        made.referenced().forEach(each -> {
            var unused = contract(each);
        });
        return made;
    }

    /** @throws IllegalArgumentException if this type can't be passed */
    Place place(Type type) {
        if (type == byte[].class) {
            return new Place.Bytes();
        }
        if (type == ByteBuf.class) {
            return new Place.Buffers();
        }
        if (TypeArguments.erased(type).isAnnotationPresent(Remote.class)) {
            return reference(type);
        }
        try {
            return new Place.Coded(codec.values(type), codec.readsSlowly());
        } catch (Misconfigured e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private Place reference(Type type) {
        if (type instanceof ParameterizedType || ((Class<?>) type).getTypeParameters().length > 0) {
            throw new IllegalArgumentException(type.getTypeName() + " is @Remote and has type parameters");
        }
        references.serve();
        return new ReferencePlace((Class<?>) type, this);
    }
}
