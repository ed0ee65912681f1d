package io.weir.benchmark;

/** Something that Weir demands of itself. */
interface Bar {

    Judgement judge(Standings standings);
}
