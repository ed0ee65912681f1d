package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.weir.core.Overloaded;
import io.weir.core.ProtocolMismatch;
import io.weir.core.ValueMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidObjectException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** Values by Java's serialisation, of classes that are allowed. */
final class SerialCallCodec implements CallCodec {

    private static final String LIMITS = "maxdepth=20;maxrefs=100000";

    private final ObjectInputFilter filter;

    SerialCallCodec(ObjectInputFilter allowed) {
        this.filter = ObjectInputFilter.merge(
                ObjectInputFilter.Config.createFilter(LIMITS), ObjectInputFilter.rejectUndecidedClass(allowed));
    }

    @Override
    public String name() {
        return "java";
    }

    /** Classes read themselves, and sets of sets ask each other for their hash codes. */
    @Override
    public boolean readsSlowly() {
        return true;
    }

    @Override
    public Values values(Type type) {
        return new Serialized(boxed(TypeArguments.erased(type)));
    }

    private static Class<?> boxed(Class<?> type) {
        return type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0).getClass() : type;
    }

    private final class Serialized implements Values {

        private final Class<?> type;

        Serialized(Class<?> type) {
            this.type = type;
        }

        @Override
        public void write(Object value, ByteBuf target) {
            try (ObjectOutputStream out = new ObjectOutputStream(new ByteBufOutputStream(target))) {
                out.writeObject(value);
            } catch (IOException e) {
                throw new IllegalArgumentException(e.toString(), e);
            }
        }

        @Override
        public Object read(ByteBuf source) {
            return read(source, ValueMemory.UNLIMITED);
        }

        /** A class that reads itself may throw whatever it likes. */
        @Override
        public Object read(ByteBuf source, ValueMemory memory) {
            memory.use(source.readableBytes());
            Totals totals = new Totals(filter, source.readableBytes(), memory);
            try (Input in = new Input(new ByteBufInputStream(source))) {
                in.setObjectInputFilter(totals);
                Object value = type.cast(in.readObject());
                if (value == null) {
                    throw new InvalidObjectException("it is null");
                }
                return value;
            } catch (IOException | ClassNotFoundException | RuntimeException | StackOverflowError e) {
                Overloaded overloaded = totals.overloaded;
                throw overloaded == null ? new ProtocolMismatch("not " + type.getName() + ": " + e, e) : overloaded;
            }
        }
    }

    /** Looks at each object as soon as it is complete. */
    private static final class Input extends ObjectInputStream {

        private final HashWork work = new HashWork();

        Input(InputStream in) throws IOException {
            super(in);
            enableResolveObject(true);
        }

        @Override
        protected Object resolveObject(Object object) throws IOException {
            work.complete(object);
            return object;
        }
    }

    /**
     * What one stream makes. Arrays are made before their elements are read, also those within collections, so their
     * lengths have to be such as the stream can fill: together as many elements as it has bytes, or fewer where an
     * element of a primitive type has more.
     */
    private static final class Totals implements ObjectInputFilter {

        /** An object and the reference to it, beside what its fields have in the stream. */
        private static final int OBJECT = 48;

        private static final int REFERENCE = 8;

        private final ObjectInputFilter next;
        private final ValueMemory memory;
        private long bytesLeft;
        private long references;
        private @Nullable Overloaded overloaded;

        Totals(ObjectInputFilter next, int bytes, ValueMemory memory) {
            this.next = next;
            this.bytesLeft = bytes;
            this.memory = memory;
        }

        @Override
        public Status checkInput(FilterInfo info) {
            long more = (info.references() - references) * OBJECT;
            references = info.references();
            Class<?> type = info.serialClass();
            if (info.arrayLength() >= 0 && type != null) {
                Class<?> element = type.getComponentType();
                boolean primitive = element != null && element.isPrimitive();
                int width = primitive ? width(element) : 1;
                bytesLeft -= info.arrayLength() * (long) width;
                more += info.arrayLength() * (long) (primitive ? width : REFERENCE);
            }
            return bytesLeft < 0 || !fits(more) ? Status.REJECTED : next.checkInput(info);
        }

        private boolean fits(long bytes) {
            try {
                memory.use(bytes);
                return true;
            } catch (Overloaded e) {
                overloaded = e;
                return false;
            }
        }

        private static int width(Class<?> primitive) {
            if (primitive == long.class || primitive == double.class) {
                return Long.BYTES;
            }
            if (primitive == int.class || primitive == float.class) {
                return Integer.BYTES;
            }
            return primitive == short.class || primitive == char.class ? Short.BYTES : Byte.BYTES;
        }
    }
}
