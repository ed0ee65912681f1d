package io.weir.tck;

/** Where the tests of links get them from. */
interface LinkPairs {

    /** Two links that are connected to each other, fresh for one test, which closes them. */
    LinkPair open() throws Exception;
}
