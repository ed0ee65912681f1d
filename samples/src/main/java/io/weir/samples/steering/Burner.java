package io.weir.samples.steering;

/** Where the plate is heated: what the viewer steers. */
public record Burner(int x, int y) {

    /** It comes from another process. */
    public Burner {
        if (x < 0 || y < 0 || x >= Plate.SIDE || y >= Plate.SIDE) {
            throw new IllegalArgumentException(
                    "(" + x + ", " + y + ") is not on the plate, which is " + Plate.SIDE + " wide");
        }
    }
}
