package io.weir.architecture;

import static java.nio.file.Files.notExists;

import com.tngtech.archunit.lang.ArchRule;
import java.nio.file.Path;

/** The packages of Weir, as the rules name them. */
final class House {

    static final String FLOW = "io.weir.flow..";
    static final String CORE = "io.weir.core..";
    static final String CONFIG = "io.weir.config..";
    static final String MEMORY = "io.weir.memory..";
    static final String PEER = "io.weir.peer..";
    static final String PATH = "io.weir.path..";
    static final String CHANNEL = "io.weir.channel..";
    static final String SERVICE = "io.weir.service..";
    static final String TRANSPORT = "io.weir.transport..";
    static final String SPRING = "io.weir.spring..";
    static final String SAMPLES = "io.weir.samples..";
    static final String TCK = "io.weir.tck..";
    static final String TEST = "io.weir.test..";

    /** What a user's program runs: no samples, no tests. */
    static final String[] PRODUCT = {FLOW, CORE, CONFIG, MEMORY, PEER, PATH, CHANNEL, SERVICE, TRANSPORT, SPRING};

    /** The adapters: each a path to a peer. What several of them share lies beside them and is none. */
    static final String[] ADAPTERS = {
        "io.weir.transport.local..",
        "io.weir.transport.tcp..",
        "io.weir.transport.shm..",
        "io.weir.transport.verbs..",
        "io.weir.transport.dapl..",
        "io.weir.transport.gm..",
        "io.weir.transport.p4sock..",
        "io.weir.transport.elan.."
    };

    private House() {}

    /**
     * A rule that matches no class fails, as it should: it would hold nothing. Only while the sources it speaks of
     * are not written does that pass, and it stops by itself when they are.
     *
     * @param sources the folder of those sources, from the root of the repository
     */
    static ArchRule onceWritten(String sources, ArchRule rule) {
        return rule.allowEmptyShould(notExists(Path.of("../..", sources)));
    }
}
