package io.weir.service;

/** Nothing is told to anybody. */
final class NoStore implements DirectoryStore {

    @Override
    public void open() {}

    @Override
    public void publish(Listing listing) {}

    @Override
    public void close() {}
}
