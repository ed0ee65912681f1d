import {make} from './dom.js';
import {bytes, clock, count, nanos} from './format.js';

/** All that is known of one peer. */
export function details({peer, connection}) {
  if (!connection) {
    return [make('p', peer?.lastFailure ? `Not connected: ${peer.lastFailure}` : 'Not connected.')];
  }
  return [path(connection), flow(connection), roundTrips(connection), history(connection), channels(connection)]
    .filter(block => block);
}

function path({path}) {
  return block('Path', table(['Path', 'Outcome', 'Took', 'Round trip', 'Why'], path.attempts.map(attempt =>
    [attempt.path, attempt.outcome, attempt.tookNanos ? nanos(attempt.tookNanos) : '–', nanos(attempt.roundTripNanos),
      attempt.reason ?? ''])));
}

function flow(connection) {
  const {sent, received} = connection;
  const all = [
    ['Sent in all', `${count(sent.messages)} messages, ${bytes(sent.bytes)}`],
    ['Received in all', `${count(received.messages)} messages, ${bytes(received.bytes)}`],
    ['May be sent', `${count(connection.creditMessages)} messages, ${bytes(connection.creditBytes)}`],
    ['Asked for here', `${count(connection.demand)} messages`],
    ['Queued here', `${count(connection.queuedMessages)} messages, ${bytes(connection.queuedBytes)}`],
    ['Waits for credit', `${count(connection.creditStalls)}, ${nanos(connection.creditStallNanos)} in all`],
    ['Path changed', `${count(connection.moves)} times`],
    ['Peer woken', `${count(connection.wakeUps)} times`],
    ['Certificate', connection.principal ?? 'none'],
  ];
  const list = make('dl');
  for (const [name, value] of all) {
    const entry = make('div');
    entry.append(make('dt', name), make('dd', value));
    list.append(entry);
  }
  return block('Flow', list);
}

function roundTrips({roundTrips, allRoundTrips}) {
  const line = (name, times) =>
    [name, count(times.count), nanos(times.p50Nanos), nanos(times.p90Nanos), nanos(times.p99Nanos), nanos(times.maxNanos)];
  return block('Round trips', table(['', 'Measured', 'p50', 'p90', 'p99', 'Longest'],
    [line('Last minute', roundTrips), line('Since connected', allRoundTrips)]));
}

function history({path, history}) {
  return history.length === 0 ? null : block('Changes of the path', table(['When', 'To', 'Because'],
    [path, ...history].map(each => [clock(each.when), each.chosen ?? 'none', each.cause ?? 'first path'])));
}

function channels({channels, openChannels}) {
  if (!channels) {
    return block('Channels', make('p', `${openChannels} open; the loop of this peer did not tell in time which.`));
  }
  const half = (open, queued) => (open ? 'open' : 'ended') + (queued ? `, ${count(queued)} queued` : '');
  return block(`Channels: ${openChannels}`, channels.length === 0 ? make('p', 'None is open.')
    : table(['Number', 'Port', 'Opened', 'Sending', 'Receiving', 'Credit', 'Demand'], channels.map(channel =>
      [String(channel.number), channel.port, channel.openedHere ? 'here' : 'there',
        half(channel.sending, channel.queuedOut), half(channel.receiving, channel.queuedIn),
        channel.creditMessages > 1e12 ? 'all' : count(channel.creditMessages),
        channel.demand === undefined ? 'all' : count(channel.demand)])));
}

function block(title, content) {
  const section = make('section');
  section.append(make('h3', title), content);
  return section;
}

function table(head, lines) {
  const wide = make('div', undefined, 'wide');
  wide.tabIndex = 0;
  const all = make('table');
  const first = all.createTHead().insertRow();
  for (const text of head) {
    const cell = make('th', text);
    cell.scope = 'col';
    first.append(cell);
  }
  const body = all.createTBody();
  for (const line of lines) {
    const row = body.insertRow();
    line.forEach(text => row.insertCell().append(text));
  }
  wide.append(all);
  return wide;
}
