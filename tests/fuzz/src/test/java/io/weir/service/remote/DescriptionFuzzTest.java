package io.weir.service.remote;

import static io.weir.fuzz.Hostile.check;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.weir.core.ForeignText;
import io.weir.core.ProtocolMismatch;
import io.weir.fuzz.Hostile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever exports an interface describes it to those who call it. Whatever he says, it is compared with ours or
 * refused, in texts that are fit for a log, and with an effort in proportion to its length.
 */
class DescriptionFuzzTest {

    private static final Contract OURS = contract();

    /** The stack of an error, and what is made of our own side of a difference. */
    private static final long FREE = 512 << 10;

    private static Contract contract() {
        // References are needed by interfaces that pass some; this one does not.
        @SuppressWarnings("NullAway")
        Terms terms = new Terms(CallCodecs.cbor(), null, null, false, ProxyOptions.standard(), null);
        return terms.contract(Woods.Forest.class);
    }

    static Stream<byte[]> seeds() {
        Description same = Description.of(OURS);
        List<Description.Entry> fewer = new ArrayList<>(same.methods().subList(1, 3));
        fewer.add(new Description.Entry("other()", "other(): void"));
        Map<String, String> otherTypes = new TreeMap<>(same.definitions());
        otherTypes.replaceAll((name, definition) -> definition.replace("name", "title"));
        otherTypes.remove(Woods.Colour.class.getName());
        List<Description.Entry> longer = same.methods().stream()
                .map(each -> new Description.Entry(each.key(), "a.".repeat(20) + each.signature()))
                .toList();
        byte[] whole = bytes(same);
        return Stream.of(
                whole,
                Arrays.copyOf(whole, whole.length - 3),
                bytes(new Description(same.type(), same.codec(), fewer, same.definitions())),
                bytes(new Description(same.type(), same.codec(), same.methods(), otherTypes)),
                bytes(new Description(same.type(), same.codec(), longer, same.definitions())),
                bytes(new Description(same.type(), "json", same.methods(), Map.of())),
                bytes(new Description("\u001b[2J", same.codec(), same.methods(), Map.of())),
                manyPackages(same));
    }

    /** A type with so many packages that a matcher that recurs for each one has no stack for it. */
    private static byte[] manyPackages(Description same) {
        List<Description.Entry> deep = same.methods().stream()
                .map(each -> new Description.Entry(each.key(), "a.".repeat(20_000)))
                .toList();
        return bytes(new Description(same.type(), same.codec(), deep, same.definitions()));
    }

    private static byte[] bytes(Description description) {
        ByteBuf target = Unpooled.buffer();
        description.write(target);
        return ByteBufUtil.getBytes(target);
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "10s")
    void whatIsDescribedIsComparedOrRefused(byte[] input) throws Exception {
        long most = FREE + 64L * input.length;
        Description theirs;
        try {
            theirs = Hostile.within(most, () -> Description.read(Unpooled.wrappedBuffer(input)));
        } catch (ProtocolMismatch e) {
            Hostile.checkText(e);
            return;
        }
        ByteBuf again = Unpooled.buffer();
        theirs.write(again);
        check(
                again.readableBytes() > 3 * input.length
                        || Description.read(again).equals(theirs),
                theirs);
        int[] numbers;
        try {
            numbers = Hostile.within(most, () -> theirs.numbersOf(OURS, "somebody"));
        } catch (ProtocolMismatch e) {
            String text = String.valueOf(e.getMessage());
            check(text.equals(ForeignText.harmless(text)), text);
            return;
        }
        for (ContractMethod each : OURS.methods()) {
            int number = numbers[each.number()];
            check(number < 0 || theirs.methods().get(number).key().equals(each.key()), each);
            check(number < 0 || theirs.methods().get(number).signature().equals(each.signature()), each);
        }
    }
}
