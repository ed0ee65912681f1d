package io.weir.service.remote;

import io.netty.buffer.ByteBuf;
import io.weir.core.ProtocolMismatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An interface, as one side describes it to the other one.
 *
 * @param methods by their numbers
 * @param definitions what is behind the types, by their names
 */
record Description(String type, String codec, List<Entry> methods, Map<String, String> definitions) {

    /** Bytes of the longest one: some thousand methods. */
    private static final int LONGEST = 1 << 20;

    /**
     * A method.
     *
     * @param key by which it is found
     * @param signature with generic types and result
     */
    record Entry(String key, String signature) {}

    static Description of(Contract contract) {
        List<Entry> methods = new ArrayList<>();
        Map<String, String> definitions = new TreeMap<>();
        for (ContractMethod each : contract.methods()) {
            methods.add(new Entry(each.key(), each.signature()));
            definitions.putAll(each.definitions());
        }
        return new Description(contract.type().getName(), contract.codec(), methods, definitions);
    }

    void write(ByteBuf target) {
        CallLayout.writeText(target, type);
        CallLayout.writeText(target, codec);
        target.writeShortLE(methods.size());
        for (Entry each : methods) {
            CallLayout.writeText(target, each.key);
            CallLayout.writeText(target, each.signature);
        }
        target.writeIntLE(definitions.size());
        definitions.forEach((name, definition) -> {
            CallLayout.writeText(target, name);
            CallLayout.writeText(target, definition);
        });
    }

    static Description read(ByteBuf source) {
        if (source.readableBytes() > LONGEST) {
            throw new ProtocolMismatch("an interface of " + source.readableBytes() + " bytes, and " + LONGEST
                    + " is the most: export smaller ones");
        }
        String type = CallLayout.readText(source);
        String codec = CallLayout.readText(source);
        List<Entry> methods = new ArrayList<>();
        for (int left = CallLayout.readCount(source, Short.BYTES); left > 0; left--) {
            methods.add(new Entry(CallLayout.readText(source), CallLayout.readText(source)));
        }
        Map<String, String> definitions = new HashMap<>();
        for (int left = CallLayout.readCount(source, Integer.BYTES); left > 0; left--) {
            definitions.put(CallLayout.readText(source), CallLayout.readText(source));
        }
        return new Description(type, codec, methods, definitions);
    }

    /**
     * By our number of a method theirs, or -1 where they have none such.
     *
     * @throws ProtocolMismatch if something differs that both have, naming the methods
     */
    int[] numbersOf(Contract ours, String peer) {
        if (!type.equals(ours.type().getName()) || !codec.equals(ours.codec())) {
            throw new ProtocolMismatch(ours.type().getName() + " in " + ours.codec() + " is called here, and " + peer
                    + " exports " + type + " in " + codec + ": both have to use the same");
        }
        Map<String, Integer> theirs = new HashMap<>();
        for (int i = 0; i < methods.size(); i++) {
            theirs.put(methods.get(i).key, i);
        }
        int[] numbers = new int[ours.methods().size()];
        List<String> differences = new ArrayList<>();
        for (ContractMethod each : ours.methods()) {
            int number = theirs.getOrDefault(each.key(), -1);
            numbers[each.number()] = number;
            if (number >= 0) {
                addDifferences(each, methods.get(number), peer, differences);
            }
        }
        if (!differences.isEmpty()) {
            throw new ProtocolMismatch(ours.name() + " differs: " + String.join("; ", differences)
                    + ". Bring both sides to one version, or give what has changed a new name");
        }
        return numbers;
    }

    private void addDifferences(ContractMethod ours, Entry theirs, String peer, List<String> differences) {
        if (!ours.signature().equals(theirs.signature)) {
            differences.add(difference(ours + ": ", ours.signature(), theirs.signature, peer));
        }
        ours.definitions().forEach((name, definition) -> {
            String other = definitions.getOrDefault(name, "of another kind");
            if (!definition.equals(other)) {
                differences.add(difference(ours + " uses " + TypeText.brief(name) + ": ", definition, other, peer));
            }
        });
    }

    private static String difference(String what, String here, String there, String peer) {
        boolean sameInBrief = TypeText.brief(here).equals(TypeText.brief(there));
        List<String> both = Arrays.asList(here, there);
        List<String> shown =
                sameInBrief ? both : both.stream().map(TypeText::brief).toList();
        return what + shown.get(0) + " here, and " + shown.get(1) + " at " + peer;
    }
}
