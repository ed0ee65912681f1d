package io.weir.tck;

/** Where the tests of connections get their bootstrap from. */
interface Receptions {

    BootstrapContract contract();
}
