package io.weir.core;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records, in the layout that {@link Codecs#record} describes. A record type is made into one method handle that writes
 * it and one that reads it, both of a type that is known here: so nothing is boxed, and nothing is made but the record,
 * its texts, and the bytes of texts that are written.
 */
final class RecordCodec<R extends Record> implements InPlaceCodec<R> {

    private static final Lookup HERE = MethodHandles.lookup();
    private static final Fixed INTS = inView(int.class, "Int", Integer.BYTES);
    private static final Map<Class<?>, Fixed> FIXED = fixed();
    private static final MethodHandle ORDINAL = own("ordinal", int.class, String.class, Enum.class);
    private static final MethodHandle CONSTANT = own("constant", Enum.class, String.class, Enum[].class, int.class);
    private static final MethodHandle PRESENT = own("present", Object.class, String.class, Object.class);
    private static final MethodHandle GET_TEXT =
            own("getText", String.class, Layout.class, int.class, ContentView.class);
    private static final MethodHandle PUT_TEXT =
            own("putText", void.class, Layout.class, int.class, ContentView.class, String.class);

    /** Of what another class says about its values. */
    private static final int MOST_OF_A_REASON = 300;

    private final Class<R> type;
    private final Layout layout = new Layout();
    /** {@code (Object) -> String} each: the texts in the record, in order. */
    private final List<MethodHandle> getters = new ArrayList<>();
    /** {@code (ContentView, Object) -> void}. */
    private final MethodHandle writer;
    /** {@code (ContentView) -> Object}. */
    private final MethodHandle reader;

    RecordCodec(Class<R> type) {
        if (!type.isRecord()) {
            throw new Misconfigured(type.getName() + " is no record; use Codecs.cbor");
        }
        this.type = type;
        Part whole = record(type, MethodHandles.identity(Object.class), List.of());
        writer = whole.writer.asType(MethodType.methodType(void.class, ContentView.class, Object.class));
        reader = whole.reader.asType(MethodType.methodType(Object.class, ContentView.class));
    }

    /** The fixed part, and where the texts lie behind it. */
    private static final class Layout {

        int fixedLength;
        int[] lengthsAt = {};

        /** Makes room in the fixed part. */
        int claim(int bytes) {
            int at = fixedLength;
            fixedLength += bytes;
            return at;
        }

        int add() {
            lengthsAt = Arrays.copyOf(lengthsAt, lengthsAt.length + 1);
            lengthsAt[lengthsAt.length - 1] = claim(Integer.BYTES);
            return lengthsAt.length - 1;
        }

        /** Where this text begins. */
        int begin(ContentView in, int number) {
            int at = fixedLength;
            for (int i = 0; i < number; i++) {
                at += Math.max(0, in.getInt(lengthsAt[i]));
            }
            return at;
        }
    }

    /**
     * How a value lies in the fixed part.
     *
     * @param get {@code (ContentView, int) -> T}
     * @param put {@code (ContentView, int, T) -> void}
     */
    private record Fixed(int bytes, MethodHandle get, MethodHandle put) {}

    /**
     * What makes a value of type T, at its place.
     *
     * @param writer {@code (ContentView, T) -> void}
     * @param reader {@code (ContentView) -> T}
     */
    private record Part(MethodHandle writer, MethodHandle reader) {

        static Part of(Fixed fixed, int at) {
            return new Part(
                    MethodHandles.insertArguments(fixed.put, 1, at), MethodHandles.insertArguments(fixed.get, 1, at));
        }
    }

    /** A record and all in it; {@code path} leads there from the outermost record. */
    private Part record(Class<?> type, MethodHandle path, List<Class<?>> around) {
        List<Class<?>> inside = new ArrayList<>(around);
        inside.add(type);
        Lookup lookup = lookup(type);
        RecordComponent[] components = type.getRecordComponents();
        MethodHandle[] writers = new MethodHandle[components.length];
        MethodHandle[] readers = new MethodHandle[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                MethodHandle accessor = lookup.unreflect(components[i].getAccessor());
                MethodHandle to =
                        MethodHandles.filterReturnValue(path.asType(path.type().changeReturnType(type)), accessor);
                Part part = component(components[i], to, inside);
                writers[i] = MethodHandles.filterArguments(part.writer, 1, accessor);
                readers[i] = part.reader;
            }
            MethodType constructor = MethodType.methodType(
                    void.class,
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            return new Part(
                    oneAfterTheOther(writers, type), together(lookup.findConstructor(type, constructor), readers));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type + " is no record as the language defines it", e);
        } catch (IllegalArgumentException e) {
            // A method handle takes 255 arguments, and long and double count as two.
            throw new Misconfigured(
                    type + " has too many components for a fixed layout: use Codecs.cbor(Class) instead", e);
        }
    }

    private static MethodHandle oneAfterTheOther(MethodHandle[] writers, Class<?> type) {
        MethodHandle all = MethodHandles.empty(MethodType.methodType(void.class, ContentView.class, type));
        for (int i = writers.length - 1; i >= 0; i--) {
            all = MethodHandles.foldArguments(all, writers[i]);
        }
        return all;
    }

    private static MethodHandle together(MethodHandle constructor, MethodHandle[] readers) {
        return MethodHandles.permuteArguments(
                MethodHandles.filterArguments(constructor, 0, readers),
                MethodType.methodType(constructor.type().returnType(), ContentView.class),
                new int[readers.length]);
    }

    private Part component(RecordComponent component, MethodHandle path, List<Class<?>> around) {
        Class<?> its = component.getType();
        String name =
                component.getName() + " of " + component.getDeclaringRecord().getName();
        Fixed fixed = FIXED.get(its);
        if (fixed != null) {
            return Part.of(fixed, layout.claim(fixed.bytes));
        }
        if (its.isEnum()) {
            MethodHandle ordinal = MethodHandles.insertArguments(ORDINAL, 0, name);
            MethodHandle constant = MethodHandles.insertArguments(CONSTANT, 0, name, its.getEnumConstants());
            Part part = Part.of(INTS, layout.claim(INTS.bytes));
            return new Part(
                    MethodHandles.filterArguments(
                            part.writer, 1, ordinal.asType(MethodType.methodType(int.class, its))),
                    MethodHandles.filterReturnValue(
                            part.reader, constant.asType(MethodType.methodType(its, int.class))));
        }
        if (its == String.class) {
            getters.add(path);
            int text = layout.add();
            return new Part(
                    MethodHandles.insertArguments(PUT_TEXT, 0, layout, text),
                    MethodHandles.insertArguments(GET_TEXT, 0, layout, text));
        }
        if (its.isRecord() && !around.contains(its)) {
            MethodHandle present =
                    MethodHandles.insertArguments(PRESENT, 0, name).asType(MethodType.methodType(its, its));
            Part part = record(its, MethodHandles.filterReturnValue(path, present), around);
            return new Part(MethodHandles.filterArguments(part.writer, 1, present), part.reader);
        }
        throw new Misconfigured("a record codec can't write the component " + name + ", which is "
                + component.getGenericType().getTypeName() + (its.isRecord() ? " and contains itself" : "")
                + ", but only primitives, enums, String and records of these; use Codecs.cbor");
    }

    private static Lookup lookup(Class<?> type) {
        try {
            // Method handles also need our module to read the other one.
            var unused = RecordCodec.class.getModule().addReads(type.getModule());
            return MethodHandles.privateLookupIn(type, HERE);
        } catch (IllegalAccessException e) {
            throw new Misconfigured(
                    "a record codec can't reach " + type.getName() + ": the descriptor of its module needs 'opens "
                            + type.getPackageName() + ";', or use Codecs.cbor",
                    e);
        }
    }

    @Override
    public int length(R value) {
        R unused = present(type.getName(), value);
        int length = layout.fixedLength;
        try {
            for (int i = 0; i < getters.size(); i++) {
                String text = (String) getters.get(i).invokeExact((Object) value);
                if (text != null) {
                    length = Math.addExact(length, TextCodec.INSTANCE.length(text));
                }
            }
        } catch (Throwable e) {
            throw thrown(e);
        }
        return length;
    }

    @Override
    public void write(R value, ContentView to) {
        R unused = present(type.getName(), value);
        try {
            writer.invokeExact(to, (Object) value);
        } catch (Throwable e) {
            throw thrown(e);
        }
    }

    /** What accessors throw, which declare nothing. */
    private static RuntimeException thrown(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
    }

    @Override
    public R read(ContentView from) {
        checkLengths(from);
        Object value;
        try {
            value = (Object) reader.invokeExact(from);
        } catch (ProtocolMismatch | Error e) {
            throw e;
        } catch (Throwable e) {
            throw mismatch(from, "the record refuses its values: " + shortened(String.valueOf(e.getMessage())), e);
        }
        return type.cast(value);
    }

    private void checkLengths(ContentView from) {
        if (from.length() < layout.fixedLength) {
            throw mismatch(from, "its fixed part alone has " + layout.fixedLength, null);
        }
        long all = layout.fixedLength;
        for (int at : layout.lengthsAt) {
            int length = from.getInt(at);
            if (length < -1) {
                throw mismatch(from, "a text can't have " + length + " bytes", null);
            }
            all += Math.max(0, length);
        }
        if (all != from.length()) {
            throw mismatch(from, "with the texts it would have " + all, null);
        }
    }

    private ProtocolMismatch mismatch(ContentView from, String why, @Nullable Throwable cause) {
        return new ProtocolMismatch(
                "a payload of " + from.length() + " bytes is not the record " + type.getName() + ": " + why, cause);
    }

    private static String shortened(String reason) {
        return ForeignText.harmless(
                reason.length() <= MOST_OF_A_REASON ? reason : reason.substring(0, MOST_OF_A_REASON) + "...");
    }

    @Override
    public String toString() {
        return "the record " + type.getName();
    }

    // Called through their handles: see above.

    static <T> T present(String name, @Nullable T value) {
        if (value == null) {
            throw new NullPointerException(name + " is null, which a record codec can't write");
        }
        return value;
    }

    @SuppressWarnings("EnumOrdinal") // It is what is written.
    static int ordinal(String name, @Nullable Enum<?> value) {
        return present(name, value).ordinal();
    }

    static Enum<?> constant(String name, Enum<?>[] constants, int ordinal) {
        if (ordinal < 0 || ordinal >= constants.length) {
            throw new ProtocolMismatch(
                    name + " has " + constants.length + " constants, and none with number " + ordinal);
        }
        return constants[ordinal];
    }

    static @Nullable String getText(Layout layout, int number, ContentView from) {
        int length = from.getInt(layout.lengthsAt[number]);
        return length < 0 ? null : from.getText(layout.begin(from, number), length);
    }

    static void putText(Layout layout, int number, ContentView to, @Nullable String text) {
        byte[] bytes = text == null ? Frame.NO_CONTROL : text.getBytes(StandardCharsets.UTF_8);
        // They are written in their order.
        int begin = number == 0 ? layout.fixedLength : to.texts();
        to.putInt(layout.lengthsAt[number], text == null ? -1 : bytes.length);
        to.putBytes(begin, bytes);
        to.texts(begin + bytes.length);
    }

    static boolean getBoolean(ContentView from, int index) {
        byte value = from.getByte(index);
        if ((value & ~1) != 0) {
            throw new ProtocolMismatch(value + " at byte " + index + " is neither true, 1, nor false, 0");
        }
        return value != 0;
    }

    static void putBoolean(ContentView to, int index, boolean value) {
        to.putByte(index, (byte) (value ? 1 : 0));
    }

    static char getChar(ContentView from, int index) {
        return (char) from.getShort(index);
    }

    static void putChar(ContentView to, int index, char value) {
        to.putShort(index, (short) value);
    }

    private static MethodHandle own(String name, Class<?> returned, Class<?>... parameters) {
        try {
            return HERE.findStatic(RecordCodec.class, name, MethodType.methodType(returned, parameters));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static Map<Class<?>, Fixed> fixed() {
        Map<Class<?>, Fixed> fixed = new HashMap<>();
        fixed.put(
                boolean.class,
                new Fixed(
                        Byte.BYTES,
                        own("getBoolean", boolean.class, ContentView.class, int.class),
                        own("putBoolean", void.class, ContentView.class, int.class, boolean.class)));
        fixed.put(
                char.class,
                new Fixed(
                        Character.BYTES,
                        own("getChar", char.class, ContentView.class, int.class),
                        own("putChar", void.class, ContentView.class, int.class, char.class)));
        fixed.put(byte.class, inView(byte.class, "Byte", Byte.BYTES));
        fixed.put(short.class, inView(short.class, "Short", Short.BYTES));
        fixed.put(int.class, INTS);
        fixed.put(long.class, inView(long.class, "Long", Long.BYTES));
        fixed.put(float.class, inView(float.class, "Float", Float.BYTES));
        fixed.put(double.class, inView(double.class, "Double", Double.BYTES));
        return fixed;
    }

    private static Fixed inView(Class<?> type, String name, int bytes) {
        try {
            return new Fixed(
                    bytes,
                    HERE.findVirtual(ContentView.class, "get" + name, MethodType.methodType(type, int.class)),
                    HERE.findVirtual(
                            ContentView.class, "put" + name, MethodType.methodType(void.class, int.class, type)));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
