package io.weir.integration;

/** How long the messages of a sequence are. */
public enum Sizes {
    /** Up to 64 bytes, none among them. */
    TINY {
        @Override
        int of(long random) {
            return (int) (random % 65);
        }
    },
    /** Mostly small, now and then one that does not fit in a frame; with a liking for the edges. */
    MIXED {
        @Override
        int of(long random) {
            long more = Parcels.mix(random);
            return switch ((int) (random % 20)) {
                case 0 -> 0;
                case 1, 2 -> EDGES[(int) (more % EDGES.length)];
                case 3 -> (int) (more % (256 << 10));
                case 4, 5, 6 -> (int) (more % (8 << 10));
                default -> (int) (more % 512);
            };
        }
    },
    /** 1 KiB. */
    ONE_KIB {
        @Override
        int of(long random) {
            return 1 << 10;
        }
    },
    /** 64 KiB. */
    FRAME {
        @Override
        int of(long random) {
            return 64 << 10;
        }
    },
    /** 1 MiB. */
    ONE_MIB {
        @Override
        int of(long random) {
            return 1 << 20;
        }
    },
    /** More than a standard window, yet not the longest. */
    LONG {
        @Override
        int of(long random) {
            return (5 << 20) + (int) (random % (4 << 20));
        }
    };

    private static final int[] EDGES = edges(1, 8, 64, 256, 1 << 10, 2 << 10, 4 << 10, 16 << 10, 32 << 10, 64 << 10);

    abstract int of(long random);

    /** None is longer. */
    public int longest() {
        return switch (this) {
            case TINY -> 64;
            case MIXED -> 256 << 10;
            case ONE_KIB -> 1 << 10;
            case FRAME -> 64 << 10;
            case ONE_MIB -> 1 << 20;
            case LONG -> 9 << 20;
        };
    }

    /** Each of these, one less and one more. */
    public static int[] edges(int... of) {
        int[] edges = new int[3 * of.length];
        for (int i = 0; i < edges.length; i++) {
            edges[i] = of[i / 3] - 1 + i % 3;
        }
        return edges;
    }
}
