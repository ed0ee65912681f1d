package io.weir.simulator;

import io.weir.channel.PeerStats;
import io.weir.config.NodeDefaults;
import io.weir.config.NodeSpec;
import io.weir.config.PathSwitch;
import io.weir.config.Repath;
import io.weir.config.Requirement;
import io.weir.config.Secret;
import io.weir.core.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.reactivestreams.Publisher;

/**
 * What happens in one world: some hosts, what their users do, and what goes wrong. Everything follows from the seed;
 * parts may be left out, and the others are the same as before.
 */
final class Schedule {

    /** Long after every limit and timer, so that what has not ended then hangs. */
    private static final Duration AT_REST = Duration.ofMinutes(10);

    /**
     * What has ended leaves nothing behind after this time: stalls, pauses and cuts are shorter, and sessions without a
     * path.
     */
    private static final Duration SETTLED = Duration.ofSeconds(100);

    private static final Secret SECRET = Secret.of("what all of them know");
    private static final Secret NEW_SECRET = Secret.of("what all of them shall know");
    private static final Secret OTHER_SECRET = Secret.of("what somebody else knows");

    private final Simulation simulation;
    private final SplittableRandom chance;
    private final long seed;
    private final Extent extent;
    private final Omitted omitted;
    private final List<Host> hosts = new ArrayList<>();
    private final List<Item> items = new ArrayList<>();
    private final List<Question> questions = new ArrayList<>();
    private final List<Letter> letters = new ArrayList<>();
    private final List<Reading> readings = new ArrayList<>();
    private final Map<Host, Letterbox.Habits> habits = new HashMap<>();
    private final List<Trouble> troubles = new ArrayList<>();
    private final List<Wish> wishes = new ArrayList<>();
    private int frames;
    private int parts;
    private int begun;

    Schedule(Simulation simulation, SplittableRandom chance, long seed, Extent extent, Omitted omitted) {
        this.simulation = simulation;
        this.chance = chance;
        this.seed = seed;
        this.extent = extent;
        this.omitted = omitted;
    }

    /** How many parts it has that could be left out. */
    int parts() {
        return parts;
    }

    void run() {
        prepareHosts(chance.split());
        prepareItems(chance.split());
        int troubled = prepareTroubles(chance.split());
        prepareWishes(troubled);
        prepareExchanges();
        prepareDevices();
        hosts.forEach(this::start);
        simulation.network().onFrame(this::count);
        simulation.run(AT_REST, this::allOver);
        simulation.calmDown();
        simulation.pass(SETTLED);
        buryTheDead();
        checkAtRest();
        if (extent.has(Extent.OPERATORS)) {
            new PathsAtRest(simulation).check();
            new MovesAtRest(simulation).run();
        }
        closeAll();
        checkNothingIsLeft();
    }

    private void prepareHosts(SplittableRandom dice) {
        int count = dice.nextInt(2, 5);
        int maxMessage = dice.nextBoolean() ? 192 << 10 : 1 << 20;
        List<NodeSpec.Builder> specs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int windowItems = dice.nextInt(1, 64);
            NodeSpec.Builder spec = NodeSpec.builder()
                    .name("n" + i)
                    .listen("10.0.0." + (i + 1) + ":7000")
                    .require(Requirement.NONE)
                    .loops(dice.nextInt(3) == 0 ? 2 : 1)
                    .order(ShmTransport.NAME, TcpTransport.NAME)
                    .windowItems(windowItems)
                    .initialItems(dice.nextInt(Math.min(windowItems, 16) + 1))
                    .windowBytes((64L << 10) << dice.nextInt(4))
                    .maxMessage(maxMessage)
                    .nodeBytes((long) maxMessage << dice.nextInt(3))
                    .path(ShmTransport.NAME, dice.nextInt(5) == 0 ? PathSwitch.OFF : PathSwitch.ON)
                    // Real time does not pass here, so closing waits for everything or for nothing.
                    .drainTimeout(dice.nextBoolean() ? Duration.ZERO : Duration.ofHours(1));
            specs.add(spec);
        }
        prepareRepath(specs);
        prepareMailboxes(specs);
        prepareSecrets(specs);
        prepareHeadStarts(specs);
        specs.forEach(spec -> hosts.add(new Host(simulation, spec.build())));
    }

    private void prepareRepath(List<NodeSpec.Builder> specs) {
        SplittableRandom dice = Extent.REPATH.chance(seed);
        if (extent.has(Extent.REPATH) && dice.nextInt(3) == 0) {
            Repath[] all = Repath.values();
            specs.forEach(spec -> spec.repath(all[dice.nextInt(all.length)]));
        }
    }

    private void prepareMailboxes(List<NodeSpec.Builder> specs) {
        SplittableRandom dice = Extent.EXCHANGES.chance(seed);
        if (extent.has(Extent.EXCHANGES)) {
            specs.forEach(spec -> spec.mailboxItems(dice.nextInt(1, 30)));
        }
    }

    /** Often all know one; it may just be changed; or somebody knows another one, or none. */
    private void prepareSecrets(List<NodeSpec.Builder> specs) {
        SplittableRandom dice = Extent.SECRETS.chance(seed);
        if (!extent.has(Extent.SECRETS) || dice.nextBoolean()) {
            return;
        }
        boolean changes = dice.nextInt(3) == 0;
        int stranger = dice.nextInt(3) == 0 ? dice.nextInt(specs.size()) : -1;
        for (int i = 0; i < specs.size(); i++) {
            boolean changed = dice.nextBoolean() && changes;
            boolean knowsNone = dice.nextBoolean();
            NodeSpec.Builder spec = specs.get(i);
            if (i == stranger) {
                spec = knowsNone ? spec : spec.secret(OTHER_SECRET);
            } else if (changed) {
                spec = spec.secret(NEW_SECRET).formerSecret(SECRET);
            } else {
                spec = spec.secret(SECRET);
            }
            specs.set(i, spec);
        }
    }

    private void prepareHeadStarts(List<NodeSpec.Builder> specs) {
        SplittableRandom dice = Extent.DEVICES.chance(seed);
        if (!extent.has(Extent.DEVICES)) {
            return;
        }
        for (int i = 0; i < specs.size(); i++) {
            Duration headStart = switch (dice.nextInt(4)) {
                case 0 -> Duration.ZERO;
                case 1 -> Duration.ofNanos(dice.nextLong(2_000_000));
                default -> NodeDefaults.HEAD_START;
            };
            specs.get(i).headStart(headStart).transportOption(ShmTransport.NAME, ShmTransport.HOST, "n" + i);
        }
    }

    /** They come back after a while, at the latest when nothing goes wrong any more. */
    private void prepareDevices() {
        SplittableRandom dice = Extent.DEVICES.chance(~seed);
        if (!extent.has(Extent.DEVICES) || dice.nextInt(3) > 0) {
            return;
        }
        int count = dice.nextInt(1, 7);
        for (int i = 0; i < count; i++) {
            SplittableRandom its = dice.split();
            String host = hosts.get(its.nextInt(hosts.size())).name();
            long gone = someTime(its);
            long back = gone + someTime(its);
            if (!omitted.contains(parts++)) {
                simulation.at(gone, () -> report(host, true));
                simulation.at(back, () -> report(host, false));
            }
        }
    }

    private void report(String host, boolean missing) {
        if (!simulation.isCalm()) {
            simulation.trace(() -> "the device of " + host + (missing ? " is gone" : " is back"));
            simulation.devices().report(host, missing);
        }
    }

    private void prepareExchanges() {
        SplittableRandom dice = Extent.EXCHANGES.chance(~seed);
        if (!extent.has(Extent.EXCHANGES) || dice.nextBoolean()) {
            return;
        }
        hosts.forEach(host -> habits.put(host, Letterbox.Habits.of(dice)));
        int count = dice.nextInt(1, 7);
        for (int i = 0; i < count; i++) {
            SplittableRandom its = dice.split();
            int at = its.nextInt(hosts.size());
            Host near = hosts.get(at);
            Host far = hosts.get((at + its.nextInt(1, hosts.size())) % hosts.size());
            Item item = its.nextBoolean()
                    ? new Letters(simulation, i, near, far, letters, its)
                    : new Reading(simulation, near, far, readings, its);
            beginLater(item, someTime(its));
        }
    }

    private void start(Host host) {
        host.onStart(this::serve);
        var unused = host.start();
    }

    private void serve(Incarnation begun) {
        var unused = begun.node().answer(Questions.PORT, request -> answer(begun, request));
        Letterbox.Habits its = habits.get(begun.host());
        if (its != null) {
            unused = begun.node().stream(Reading.PORT, request -> read(begun, request));
            new Letterbox(simulation, begun, its, letters).open();
        }
    }

    private Publisher<Message> read(Incarnation there, Message request) {
        String number = Objects.requireNonNull(request.control().get(Reading.NUMBER));
        return readings.get(Integer.parseInt(number)).heard(there, request);
    }

    private Publisher<Message> answer(Incarnation there, Message request) {
        String number = Objects.requireNonNull(request.control().get("question"));
        return questions.get(Integer.parseInt(number)).heard(there, request);
    }

    private void prepareItems(SplittableRandom dice) {
        int count = dice.nextInt(2, 14);
        for (int i = 0; i < count; i++) {
            SplittableRandom its = dice.split();
            Host near = hosts.get(its.nextInt(hosts.size()));
            Host far = hosts.get(its.nextInt(hosts.size()));
            if (near == far) {
                far = hosts.get((hosts.indexOf(near) + 1) % hosts.size());
            }
            Item item = its.nextInt(4) == 0
                    ? new Questions(simulation, i, near, far, questions, its)
                    : new Talk(simulation, i, near, far, its);
            beginLater(item, someTime(its));
        }
    }

    private void beginLater(Item item, long when) {
        if (!omitted.contains(parts++)) {
            items.add(item);
            simulation.after(when, () -> simulation.due(() -> begin(item)));
        }
    }

    private void begin(Item item) {
        begun++;
        item.begin();
    }

    /** Many begin at once, some later, a few after everything that has gone wrong. */
    private static long someTime(SplittableRandom dice) {
        return switch (dice.nextInt(5)) {
            case 0 -> 0;
            case 1 -> dice.nextLong(1_000_000);
            case 2 -> dice.nextLong(20_000_000);
            case 3 -> dice.nextLong(Duration.ofSeconds(3).toNanos());
            default -> dice.nextLong(Duration.ofSeconds(30).toNanos());
        };
    }

    /** After how many frames something goes wrong, for what shall meet it. */
    private int prepareTroubles(SplittableRandom dice) {
        int count = dice.nextInt(4) == 0 ? 0 : dice.nextInt(1, 6);
        int before = dice.nextInt(400);
        for (int i = 0; i < count; i++) {
            Trouble trouble = new Trouble(simulation, before, dice.split());
            before = trouble.frame();
            if (!omitted.contains(parts++)) {
                troubles.add(trouble);
            }
        }
        troubles.sort(Comparator.comparingInt(Trouble::frame));
        return before;
    }

    private void prepareWishes(int troubled) {
        SplittableRandom dice = Extent.OPERATORS.chance(seed);
        if (!extent.has(Extent.OPERATORS) || dice.nextBoolean()) {
            return;
        }
        int count = dice.nextInt(1, 8);
        int before = dice.nextBoolean() ? troubled : dice.nextInt(400);
        for (int i = 0; i < count; i++) {
            Wish wish = new Wish(simulation, before, dice.split());
            before = wish.frame();
            if (!omitted.contains(parts++)) {
                wishes.add(wish);
            }
        }
        wishes.sort(Comparator.comparingInt(Wish::frame));
    }

    private void count(Wire wire) {
        frames++;
        while (!troubles.isEmpty() && troubles.get(0).frame() <= frames) {
            Trouble next = troubles.remove(0);
            simulation.due(() -> next.come(wire));
        }
        while (!wishes.isEmpty() && wishes.get(0).frame() <= frames) {
            Wish next = wishes.remove(0);
            simulation.due(() -> next.come(wire));
        }
    }

    private boolean allOver() {
        if (begun < items.size()) {
            return false;
        }
        for (Item each : items) {
            if (!each.isOver()) {
                return false;
            }
        }
        return simulation.incarnations().stream().noneMatch(each -> each.isStopped() && !each.isDead());
    }

    private void checkAtRest() {
        items.forEach(Item::checkAtRest);
        for (Incarnation each : simulation.incarnations()) {
            if (each.isThere()) {
                each.node().stats().forEach(stats -> checkAtRest(each, stats));
            }
        }
    }

    /** One channel stays for the questions of each side, and one for its letters. */
    private void checkAtRest(Incarnation of, PeerStats stats) {
        if (stats.channels() > (letters.isEmpty() ? 2 : 4) || stats.queuedBytes() != 0) {
            simulation.violated(of + " still holds " + stats.channels() + " channels and " + stats.queuedBytes()
                    + " bytes for " + stats.peer().name());
        }
    }

    /** A process that was only stopped finds all its connections ended, and must end as well. */
    private void buryTheDead() {
        List<Incarnation> dead =
                simulation.incarnations().stream().filter(Incarnation::isDead).toList();
        for (Incarnation each : dead) {
            simulation.trace(() -> each + " is buried");
            each.links().forEach(link -> link.wire().resurrected(each));
            each.goOn();
        }
        if (!dead.isEmpty()) {
            simulation.pass(Excuses.GIVEN_UP);
        }
    }

    private void closeAll() {
        List<Incarnation> open = new ArrayList<>(simulation.incarnations());
        while (!open.isEmpty()) {
            open.remove(simulation.chance().nextInt(open.size())).close();
            if (simulation.oneIn(2)) {
                simulation.pass(Duration.ofMillis(1));
            }
        }
        boolean closed =
                simulation.run(AT_REST, () -> simulation.incarnations().stream().allMatch(Incarnation::isClosed));
        if (!closed) {
            simulation.violated("not every node has closed: "
                    + simulation.incarnations().stream()
                            .filter(each -> !each.isClosed())
                            .toList());
        }
        simulation.pass(SETTLED);
    }

    private void checkNothingIsLeft() {
        for (Incarnation each : simulation.incarnations()) {
            for (SimLoop loop : each.loops()) {
                if (!loop.leftovers().isEmpty()) {
                    simulation.violated(loop + " has ended with " + loop.leftovers() + "which nobody has ended");
                }
            }
        }
        String forgotten = simulation.ledger().forgotten();
        if (forgotten != null) {
            simulation.violated(forgotten);
        }
    }
}
