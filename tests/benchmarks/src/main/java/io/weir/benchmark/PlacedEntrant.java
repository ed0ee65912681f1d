package io.weir.benchmark;

import io.weir.benchmark.contender.Cell;
import io.weir.benchmark.contender.Scenario;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Two processes that do not just run here: how each one's command is started there. */
record PlacedEntrant(Entrant server, Entrant client, UnaryOperator<List<String>> far, UnaryOperator<List<String>> near)
        implements Entrant {

    @Override
    public String label() {
        return server.label();
    }

    @Override
    public Set<Scenario> scenarios() {
        return server.scenarios();
    }

    @Override
    public List<String> variants(Cell cell) {
        return server.variants(cell);
    }

    @Override
    public List<String> serverCommand() {
        return far.apply(server.serverCommand());
    }

    @Override
    public List<String> clientCommand() {
        return near.apply(client.clientCommand());
    }
}
