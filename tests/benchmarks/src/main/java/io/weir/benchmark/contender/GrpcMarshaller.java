package io.weir.benchmark.contender;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Records of a number, an amount and a text, written as they are: less work than any generated format has. */
final class GrpcMarshaller<T> implements MethodDescriptor.Marshaller<T> {

    private static final int NUMBERS = 2 * Long.BYTES;

    private final BiConsumer<T, Out> writing;
    private final Function<In, T> reading;

    GrpcMarshaller(BiConsumer<T, Out> writing, Function<In, T> reading) {
        this.writing = writing;
        this.reading = reading;
    }

    @Override
    public InputStream stream(T value) {
        Out out = new Out();
        writing.accept(value, out);
        return new ByteArrayInputStream(out.bytes);
    }

    @Override
    public T parse(InputStream stream) {
        try {
            byte[] bytes = stream.readAllBytes();
            ByteBuffer numbers = ByteBuffer.wrap(bytes);
            return reading.apply(new In(
                    numbers.getLong(),
                    numbers.getLong(),
                    new String(bytes, NUMBERS, bytes.length - NUMBERS, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The fields of one record, as they are read. */
    record In(long number, long amount, String text) {}

    /** Where one record is written to. */
    static final class Out {
        private byte[] bytes = new byte[0];

        void add(long number, long amount, String text) {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            bytes = ByteBuffer.allocate(NUMBERS + encoded.length)
                    .putLong(number)
                    .putLong(amount)
                    .put(encoded)
                    .array();
        }
    }
}
