package io.weir.transport.verbs;

import io.weir.core.Availability;
import io.weir.core.PeerUnavailable;
import io.weir.core.TransportSettings;
import io.weir.core.WeirException;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.FluxSink;

/** Emits to one subscriber what becomes of a device, and holds the device for so long. */
final class DeviceReports {

    private final FluxSink<Availability> sink;
    private final Disposable.Composite held = Disposables.composite();

    private DeviceReports(FluxSink<Availability> sink) {
        this.sink = sink;
    }

    /** Does not block: the device is opened on a thread of its own. */
    static void begin(TransportSettings settings, VerbsOptions.Choice choice, FluxSink<Availability> sink) {
        DeviceReports reports = new DeviceReports(sink);
        sink.onDispose(reports.held);
        Thread thread = new Thread(() -> reports.open(settings, choice), "weir-verbs-reports");
        thread.setDaemon(true);
        thread.start();
    }

    private void open(TransportSettings settings, VerbsOptions.Choice choice) {
        try {
            String missing = VerbsLibrary.missing(settings);
            if (missing != null) {
                throw new PeerUnavailable(missing);
            }
            VerbsDevice device = VerbsDevice.acquire(choice);
            // Added to what is disposed of already, each is disposed of at once.
            Disposable listening = device.listen(sink::next);
            boolean ignored = held.add(() -> {
                listening.dispose();
                device.release();
            });
        } catch (WeirException e) {
            sink.next(new Availability.Missing(String.valueOf(e.getMessage())));
        }
    }
}
