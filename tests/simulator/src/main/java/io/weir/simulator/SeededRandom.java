package io.weir.simulator;

import java.security.Provider;
import java.security.SecureRandomSpi;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/** Makes identifiers and nonces of a simulation follow from its seed: whose id is the lower one matters. */
public final class SeededRandom extends SecureRandomSpi {

    static final String PROVIDER = "WeirSimulator";

    private static final long serialVersionUID = 1;

    @Override
    protected void engineSetSeed(byte[] seed) {
        // The simulation has one.
    }

    @Override
    protected void engineNextBytes(byte[] bytes) {
        Simulation simulation = Simulation.currentOrNull();
        if (simulation == null) {
            ThreadLocalRandom.current().nextBytes(bytes);
        } else {
            SplittableRandom chance = simulation.chance();
            chance.nextBytes(bytes);
        }
    }

    @Override
    protected byte[] engineGenerateSeed(int length) {
        byte[] seed = new byte[length];
        engineNextBytes(seed);
        return seed;
    }

    /** By which a process finds it. */
    static final class Known extends Provider {

        private static final long serialVersionUID = 1;

        Known() {
            super(PROVIDER, "1", "chance that follows from the seed of a simulation");
            put("SecureRandom.Seeded", SeededRandom.class.getName());
        }
    }
}
