package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.channel.Peer;
import io.weir.core.WeirException;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a method has thrown, as it crosses the wire, and the exceptions that are made of it again. Immutable. */
final class Thrown {

    /** Longer messages are cut: an error is no place for content. */
    private static final int LONGEST = 4096;

    private static final int LONGEST_NAME = 512;
    private static final int STACK_LINES = 32;

    private static final List<Class<? extends Throwable>> COMMON = List.of(
            ArithmeticException.class,
            CancellationException.class,
            IOException.class,
            IllegalArgumentException.class,
            IllegalStateException.class,
            IndexOutOfBoundsException.class,
            NoSuchElementException.class,
            NullPointerException.class,
            NumberFormatException.class,
            SecurityException.class,
            TimeoutException.class,
            UnsupportedOperationException.class);

    /** By the names of classes, of those that may be made. */
    private final Map<String, Constructor<? extends Throwable>> makers = new HashMap<>();

    /**
     * @param declared made again if they can be
     * @param allowed made again
     * @throws IllegalArgumentException if one of those that are allowed can't be made
     */
    Thrown(Class<?>[] declared, Iterable<Class<? extends Throwable>> allowed) {
        for (Class<? extends Throwable> each : COMMON) {
            var unused = allow(each);
        }
        for (Class<?> each : declared) {
            var unused = allow(each.asSubclass(Throwable.class));
        }
        for (Class<? extends Throwable> each : allowed) {
            if (!allow(each)) {
                throw new IllegalArgumentException(each.getName()
                        + " can't be made of a message: it needs a constructor for one, or for one and a cause");
            }
        }
    }

    /** What is known of a Weir error here, for instance that nothing was sent, is never a peer's to tell. */
    private boolean allow(Class<? extends Throwable> type) {
        Constructor<? extends Throwable> maker = maker(type, String.class, Throwable.class);
        if (maker == null) {
            maker = maker(type, String.class);
        }
        if (maker == null || WeirException.class.isAssignableFrom(type)) {
            return false;
        }
        makers.put(type.getName(), maker);
        return true;
    }

    private static @Nullable Constructor<? extends Throwable> maker(
            Class<? extends Throwable> type, Class<?>... parameters) {
        try {
            Constructor<? extends Throwable> maker = type.getDeclaredConstructor(parameters);
            return Modifier.isPublic(maker.getModifiers()) || maker.trySetAccessible() ? maker : null;
        } catch (NoSuchMethodException e) {
            return null;
        }
    }

    /** Appends type, message and perhaps stack. */
    static void write(Throwable error, boolean stack, ByteBuf target) {
        CallLayout.writeText(target, CallLayout.cut(error.getClass().getName(), LONGEST_NAME));
        String message = error.getMessage();
        CallLayout.writeText(target, message == null ? null : CallLayout.cut(message, LONGEST));
        CallLayout.writeText(
                target,
                stack
                        ? CallLayout.cut(
                                Arrays.stream(error.getStackTrace())
                                        .limit(STACK_LINES)
                                        .map(StackTraceElement::toString)
                                        .collect(Collectors.joining("|")),
                                LONGEST)
                        : null);
    }

    /** The exception for the caller. */
    Throwable read(String called, ByteBuf source, Peer from) {
        String type = CallLayout.cut(CallLayout.readText(source), LONGEST_NAME);
        String message = CallLayout.readTextOrNull(source);
        String stack = CallLayout.readTextOrNull(source);
        RemoteInvocationException remote = new RemoteInvocationException(
                called,
                from.id(),
                type,
                message == null ? null : CallLayout.cut(message, LONGEST),
                stack == null
                        ? List.of()
                        : Stream.of(CallLayout.cut(stack, LONGEST).split("\\|", STACK_LINES))
                                .toList());
        Constructor<? extends Throwable> maker = makers.get(type);
        return maker == null ? remote : make(maker, remote);
    }

    private static Throwable make(Constructor<? extends Throwable> maker, RemoteInvocationException remote) {
        try {
            if (maker.getParameterCount() == 2) {
                return maker.newInstance(remote.remoteMessage(), remote);
            }
            Throwable made = maker.newInstance(remote.remoteMessage());
            return made.getCause() == null ? made.initCause(remote) : made;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return remote;
        }
    }
}
