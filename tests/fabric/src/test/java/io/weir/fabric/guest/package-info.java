/**
 * The tests that run in the guest. A class in here is found by itself; by custom its name ends in {@code InGuest}.
 * There are two devices on one switch, each with one port, {@code rxe0} with the address 10.99.0.1 and {@code rxe1} with 10.99.0.2.
 * The processor is an emulated one: nothing is asserted about time.
 */
@NullMarked
package io.weir.fabric.guest;

import org.jspecify.annotations.NullMarked;
