package io.weir.transport.p4sock;

import io.weir.transport.nativelib.Structures;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The program (classic BPF) by which the kernel finds out which frames are for one port, before it copies them: those
 * for its blocks of indices, and each SYN for a name that begins as all its names do. Numbers in it are big-endian,
 * those in frames as the host has them.
 */
final class FrameFilter {

    /** Indices in a block, which belong to one port: a power of two. */
    static final int BLOCK = 64;

    /** Bytes of a {@code struct sock_filter}. */
    private static final int INSTRUCTION = 8;

    private static final int LOAD_WORD = 0x20;
    private static final int LOAD_HALF = 0x28;
    private static final int AND = 0x54;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int RETURN = 0x06;

    /** Bytes of an accepted frame: all. */
    private static final int ALL = 0x40000;

    private record Instruction(int code, int ifTrue, int ifFalse, int value) {}

    private final List<Instruction> program = new ArrayList<>();

    private FrameFilter() {}

    /** Of data. */
    static FrameFilter ofData(List<Integer> blocks) {
        FrameFilter filter = new FrameFilter();
        filter.acceptBlocks(FrameFormat.ETHER + FrameFormat.INDEX, blocks);
        return filter;
    }

    /** Of control frames. */
    static FrameFilter ofControl(List<Integer> blocks, int namePrefix) {
        FrameFilter filter = new FrameFilter();
        filter.add(LOAD_HALF, FrameFormat.ETHER);
        filter.program.add(new Instruction(JUMP_IF_EQUAL, 0, 4, FrameFormat.SYN));
        filter.add(LOAD_WORD, FrameFormat.ETHER + FrameFormat.SYN_NAME);
        filter.program.add(new Instruction(JUMP_IF_EQUAL, 0, 1, namePrefix));
        filter.add(RETURN, ALL);
        filter.add(RETURN, 0);
        filter.acceptBlocks(FrameFormat.ETHER + FrameFormat.SAID, blocks);
        return filter;
    }

    private void acceptBlocks(int indexAt, List<Integer> blocks) {
        add(LOAD_HALF, indexAt);
        add(AND, bigEndian(-BLOCK));
        for (int i = 0; i < blocks.size(); i++) {
            int toAccept = blocks.size() - i;
            program.add(new Instruction(JUMP_IF_EQUAL, toAccept, 0, bigEndian(blocks.get(i) * BLOCK)));
        }
        add(RETURN, 0);
        add(RETURN, ALL);
    }

    private void add(int code, int value) {
        program.add(new Instruction(code, 0, 0, value));
    }

    /** How 16 bits that the host wrote look to the program. */
    private static int bigEndian(int number) {
        short half = (short) number;
        return (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Short.reverseBytes(half) : half) & 0xffff;
    }

    /** The program as the kernel wants it. */
    ByteBuffer instructions() {
        ByteBuffer bytes = Structures.allocate(program.size() * INSTRUCTION);
        for (Instruction each : program) {
            bytes.putShort((short) each.code())
                    .put((byte) each.ifTrue())
                    .put((byte) each.ifFalse())
                    .putInt(each.value());
        }
        return bytes.rewind();
    }

    /** What {@code SO_ATTACH_FILTER} takes: a {@code struct sock_fprog} that points to the program. */
    ByteBuffer description(ByteBuffer instructions) {
        ByteBuffer bytes = Structures.allocate(16);
        bytes.putShort(0, (short) program.size());
        bytes.putLong(8, Structures.address(instructions));
        return bytes;
    }
}
