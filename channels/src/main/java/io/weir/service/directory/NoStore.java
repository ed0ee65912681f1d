package io.weir.service.directory;

/** Nothing is announced. */
final class NoStore implements DirectoryStore {

    @Override
    public void open() {}

    @Override
    public void publish(Listing listing) {}

    @Override
    public void close() {}
}
