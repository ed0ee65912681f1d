package io.weir.samples.steering;

/**
 * The simulation: a square plate, heated in one place, cooling everywhere. One thread at a time computes; any may
 * steer.
 */
final class Plate {

    static final int SIDE = 32;

    private static final float SPREAD = 0.2f;
    private static final float KEPT = 0.98f;
    private static final float HEAT = 10;

    private float[] cells = new float[SIDE * SIDE];
    private volatile Burner burner = new Burner(SIDE / 2, SIDE / 2);
    private long steps;

    /** Where the plate is heated from now on. */
    void steer(Burner to) {
        burner = to;
    }

    /** Computes one step. */
    Frame step() {
        float[] next = new float[cells.length];
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) {
                float around = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
                next[y * SIDE + x] = KEPT * ((1 - 4 * SPREAD) * at(x, y) + SPREAD * around);
            }
        }
        Burner here = burner;
        next[here.y() * SIDE + here.x()] += HEAT;
        cells = next;
        steps++;
        return new Frame(steps, next);
    }

    private float at(int x, int y) {
        return x < 0 || y < 0 || x >= SIDE || y >= SIDE ? 0 : cells[y * SIDE + x];
    }
}
