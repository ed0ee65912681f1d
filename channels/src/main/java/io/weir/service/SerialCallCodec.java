package io.weir.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.ByteBufOutputStream;
import io.weir.core.ProtocolMismatch;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Type;

/** Values by Java's serialisation, of classes that are allowed. */
final class SerialCallCodec implements CallCodec {

    /** Sets within sets take twice as long with each level, so the depth is what counts. */
    private static final String LIMITS = "maxdepth=20;maxrefs=100000;maxarray=1000000";

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

        /** A class that reads itself may throw whatever it likes. */
        @Override
        public Object read(ByteBuf source) {
            try (ObjectInputStream in = new ObjectInputStream(new ByteBufInputStream(source))) {
                in.setObjectInputFilter(filter);
                return type.cast(in.readObject());
            } catch (IOException | ClassNotFoundException | RuntimeException e) {
                throw new ProtocolMismatch("not " + type.getName() + ": " + e, e);
            }
        }
    }
}
