package io.weir.samples.calls;

import io.weir.channel.Node;
import io.weir.samples.calls.Ledger.Entry;
import io.weir.samples.calls.Ledger.Overdrawn;
import io.weir.samples.process.Cast;
import io.weir.samples.process.Sample;
import io.weir.samples.process.Serving;
import io.weir.service.ServiceSpec;
import io.weir.service.Services;
import io.weir.service.directory.Registration;
import io.weir.service.remote.ExportOptions;
import io.weir.service.remote.ProxyOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** {@code weir sample calls} */
@Command(
        name = "calls",
        description = {
            "An object in another process is called through a plain Java interface, found by the name of its service:",
            "blocking and reactive calls, a stream in both directions, an exception of its own type, a call back."
        })
public final class Calls extends Sample {

    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int BOOKED = 1000;
    private static final int TAKEN = 100;

    /** The bank, in a process of its own; the argument is the name of its service. */
    public static void main(String[] arguments) throws IOException {
        Serving.until(Serving.spec("bank"), node -> serve(node, arguments[0]));
    }

    private static void serve(Node node, String name) {
        // tag::exportledger
        Services services = Services.open(node).blockOptional().orElseThrow();
        Registration announced = services.export(
                        ServiceSpec.of(name), Ledger.class, new Bank(), ExportOptions.standard())
                .blockOptional()
                .orElseThrow();
        // end::exportledger
        System.out.println("serves " + announced.instance().service());
    }

    @Override
    protected void play(Cast cast) {
        // Another run of this sample on this host has a bank of its own.
        String name = "ledger-" + ProcessHandle.current().pid();
        var unused = cast.start("bank", Calls.class, name);
        Services services = cast.await(Services.open(cast.node()));
        try {
            // tag::clientledger
            Ledger ledger = services.client(name, Ledger.class, ProxyOptions.standard());
            // end::clientledger
            call(cast, ledger);
        } finally {
            services.close().block(LIMIT);
        }
    }

    private static void call(Cast cast, Ledger ledger) {
        // tag::callledger
        AtomicLong made = new AtomicLong();
        Flux<Entry> entries = Flux.<Entry>generate(sink -> {
                    made.incrementAndGet();
                    sink.next(new Entry("mill", 5));
                })
                .take(BOOKED);
        List<Long> balances =
                cast.await(ledger.book(entries).limitRate(8).take(TAKEN).collectList());
        long balance = ledger.balance("mill");
        long turnover = cast.await(ledger.turnover("mill"));
        // end::callledger
        cast.row("streams", "of " + BOOKED + " entries " + made + " were made, for " + balances.size() + " balances");
        cast.row("values", "the balance is " + balance + ", the turnover " + turnover);
        cast.shows(
                balances.get(TAKEN - 1) == 5L * TAKEN && balance >= 5L * TAKEN && balance == turnover,
                "blocking, reactive and streaming calls reach the same object");
        cast.shows(made.get() < BOOKED, "who takes less has less made, through both streams");
        callBack(cast, ledger, balance);
    }

    private static void callBack(Cast cast, Ledger ledger, long balance) {
        Sinks.One<Long> seen = Sinks.one();
        ledger.watch("mill", (account, cents) -> seen.tryEmitValue(cents).orThrow());
        try {
            ledger.withdraw("mill", balance - 1);
            ledger.withdraw("mill", balance);
            cast.shows(false, "a mill can't be overdrawn");
        } catch (Overdrawn e) {
            cast.row("exception", e.toString());
        }
        cast.shows(cast.await(seen.asMono()) == 1, "the bank calls back, and its exception is caught here by its type");
    }
}
