/**
 * The tests that run in the guest. A class whose name ends with {@code InGuest} is found by itself.
 * There are two devices on one switch, each with one port, {@code rxe0} with the address 10.99.0.1 and {@code rxe1}
 * with 10.99.0.2. The processor is an emulated one: nothing is asserted about time.
 */
@NullMarked
package io.weir.fabric.guest;

import org.jspecify.annotations.NullMarked;
