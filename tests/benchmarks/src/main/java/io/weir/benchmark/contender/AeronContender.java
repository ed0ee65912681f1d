package io.weir.benchmark.contender;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.UUID;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/** Aeron over shared memory, its driver in the server's process. */
final class AeronContender implements Contender {

    private static final int TO_SERVER = 1;
    private static final int TO_CLIENT = 2;
    /** A message may take an eighth of a term, and the largest has 1 MiB. */
    private static final String CHANNEL = "aeron:ipc?term-length=16m";

    private final Setup setup;
    private final AeronSetting setting;
    private @Nullable MediaDriver driver;
    private @Nullable Aeron aeron;
    private @Nullable AeronLane lane;
    private @Nullable Thread hot;

    AeronContender(Setup setup) {
        this.setup = setup;
        this.setting = AeronSetting.of(setup.variant());
    }

    @Override
    public String serve(Cell cell) {
        String folder = setup.folder().resolve("aeron-" + UUID.randomUUID()).toString();
        MediaDriver.Context context = new MediaDriver.Context()
                .aeronDirectoryName(folder)
                .dirDeleteOnShutdown(true)
                .termBufferSparseFile(false)
                .threadingMode(ThreadingMode.SHARED);
        setting.configure(context);
        driver = MediaDriver.launch(context);
        AeronLane lane = lane(folder, TO_SERVER, TO_CLIENT, cell, Throwable::printStackTrace);
        start(() -> lane.serve(cell), Throwable::printStackTrace);
        return folder;
    }

    @Override
    public void drive(Cell cell, String address, Meter meter) throws Exception {
        AeronLane lane = lane(address, TO_CLIENT, TO_SERVER, cell, meter::fail);
        start(() -> lane.drive(cell, meter), meter::fail);
        meter.await();
    }

    @Override
    public void close() throws InterruptedException {
        if (lane != null) {
            lane.stop();
        }
        if (hot != null) {
            hot.join();
        }
        if (aeron != null) {
            aeron.close();
        }
        if (driver != null) {
            driver.close();
        }
    }

    private AeronLane lane(String folder, int inbound, int outbound, Cell cell, ErrorHandler onError) {
        Aeron client =
                Aeron.connect(new Aeron.Context().aeronDirectoryName(folder).errorHandler(onError));
        aeron = client;
        AeronLane made = new AeronLane(
                client.addSubscription(CHANNEL, inbound),
                client.addExclusivePublication(CHANNEL, outbound),
                new Payload(cell.size()),
                setting.measured());
        lane = made;
        return made;
    }

    private void start(Runnable work, ErrorHandler onError) {
        Thread thread = new Thread(
                () -> {
                    try {
                        setup.pinning().pinHere();
                        work.run();
                    } catch (RuntimeException e) {
                        onError.onError(e);
                    }
                },
                "bench-hot");
        thread.setDaemon(true);
        hot = thread;
        thread.start();
    }
}
