import {details} from './details.js';
import {become, make, say} from './dom.js';
import {ago, bytes, clock, count, nanos, span, millis} from './format.js';
import {History, draw} from './history.js';

const PERIOD = 1000;
const PERIOD_WHEN_REFUSED = 5000;
const PATIENCE = 5000;

// The page lies below the endpoint, wherever that is: <endpoint>/page/index.html.
const ENDPOINT = new URL('..', location.href).pathname.replace(/\/$/, '');

const history = new History();
const rows = new Map();
const opened = new Set();
let paused = false;
let timer = 0;
let latest = null;

const at = id => document.getElementById(id);

// ---- asking

class Refused extends Error {
  constructor(text, live) {
    super(text);
    this.live = live;
  }
}

async function ask(path) {
  let response;
  let body;
  try {
    response = await fetch(ENDPOINT + path, {
      headers: {Accept: 'application/json'},
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE),
    });
    // A body that is cut off, or takes too long, is no answer either.
    body = await response.text();
  } catch {
    throw new Refused('The application does not answer; it is asked again each second.'
      + (latest ? ` What stands here was seen at ${clock(latest.at)}.` : ''), 'not reachable');
  }
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  if (response.status === 401 || response.status === 403 || response.ok && !isJson) {
    throw new Refused(`You are not allowed to read ${ENDPOINT}. Sign in to the application, then load this page again.`,
      'not authorised');
  }
  if (!response.ok) {
    throw new Refused(`${ENDPOINT}${path} answers with status ${response.status}: is the endpoint exposed?`, 'no data');
  }
  return JSON.parse(body);
}

async function look() {
  clearTimeout(timer);
  let next = PERIOD;
  try {
    const report = await ask('');
    latest = report;
    history.add(report);
    show(report);
    await Promise.all([...opened].map(showDetails));
    if (paused) {
      return;
    }
    tell(report.node ? '' : 'The node is not there yet; its peers are shown as they are configured.');
    live(report.node ? 'live' : 'starting', report.node ? 'good' : 'wait');
  } catch (problem) {
    const known = problem instanceof Refused;
    next = known && problem.live !== 'not reachable' ? PERIOD_WHEN_REFUSED : PERIOD;
    tell(known ? problem.message : `What the endpoint has told can't be shown: ${problem.message}`);
    live(known ? problem.live : 'no data', 'bad');
  }
  schedule(next);
}

function schedule(next) {
  clearTimeout(timer);
  if (!paused && !document.hidden) {
    timer = setTimeout(look, next);
  }
}

function live(text, kind) {
  say(at('live'), text);
  at('live').dataset.kind = kind;
  document.body.classList.toggle('stale', kind === 'bad');
}

function tell(text) {
  at('notice').hidden = !text;
  say(at('notice'), text);
}

// ---- showing

function show(report) {
  const node = report.node;
  if (node) {
    say(at('node'), node.name);
    document.title = `${node.name} – Weir`;
    say(at('about'), `${node.id} · ${node.addresses.join(', ')} · up ${ago(node.since, report.at)} · ${node.waiting}`
      + ` · paths ${node.order.join(', ')}`);
    say(at('loops'), `${plural(node.loopStalls, 'loop stall')} · ${bytes(node.lentBytes)} lent`);
  }
  tiles(report);
  peers(report);
  others(report);
}

function tiles(report) {
  const {rates, lines} = history.total;
  for (const [id, name] of [['sent', 'sentBytes'], ['received', 'receivedBytes']]) {
    say(at(id), count(rates[id]) + '/s');
    say(at(id + '-bytes'), bytes(rates[name]) + '/s');
    draw(at(id + '-line'), lines[id], `Messages ${id} per second in the last minute: now ${count(rates[id])}`);
  }
  say(at('stalled'), count(rates.stalled));
  say(at('queued'), `senders · ${plural(sum(report, 'queuedMessages'), 'message')} queued`);
  draw(at('stalled-line'), lines.stalled, `Senders that waited for credit in the last minute: now ${count(rates.stalled)}`);
  say(at('connected'), count(report.connected));
  const away = report.peers.filter(peer => peer.state === 'away' || peer.state === 'connecting');
  const needed = away.filter(peer => !peer.optional).length;
  say(at('away'), away.length ? `${away.length} away${needed ? `, ${needed} of them needed` : ''}` : 'connected');
}

function sum(report, name) {
  return report.connections.reduce((all, connection) => all + connection[name], 0);
}

function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** Those that are configured, by name, then who has connected. */
function entries(report) {
  const byId = new Map(report.connections.map(connection => [connection.id, connection]));
  const named = report.peers.map(peer => {
    const connection = byId.get(peer.connection);
    byId.delete(peer.connection);
    return {key: peer.name, title: peer.name, peer, connection};
  });
  const others = [...byId.values()].map(connection => ({key: connection.uuid, title: connection.name, connection}));
  return [...named, ...others];
}

function peers(report) {
  const all = entries(report);
  const wanted = at('filter').value.trim().toLowerCase();
  const shown = all.filter(entry => !wanted || [entry.title, entry.connection?.id, entry.connection?.path.chosen]
    .some(text => text?.toLowerCase().includes(wanted)));
  at('peer-table').hidden = shown.length === 0;
  const none = at('no-peers');
  none.hidden = shown.length > 0;
  say(none, all.length ? `No peer has “${wanted}” in its name or path.`
    : 'Nobody is connected, and no peer is configured. Set weir.peers.<name>.address, or let others connect.');
  const hidden = report.connected - report.connections.length;
  at('more-peers').hidden = hidden <= 0;
  say(at('more-peers'), `${plural(hidden, 'more connected peer')} not shown.`);

  const body = at('peer-table').tBodies[0];
  const keep = new Set(shown.map(entry => entry.key));
  for (const [key, row] of rows) {
    if (!keep.has(key)) {
      row.main.remove();
      row.more.remove();
      rows.delete(key);
      opened.delete(key);
    }
  }
  let before = null;
  for (const entry of shown) {
    let row = rows.get(entry.key);
    if (!row) {
      row = newRow(entry.key);
      rows.set(entry.key, row);
    }
    const expected = before ? before.nextSibling : body.firstChild;
    if (row.main !== expected) {
      body.insertBefore(row.main, expected);
      body.insertBefore(row.more, row.main.nextSibling);
    }
    before = row.more;
    fill(row, entry, report);
  }
}

const COLUMNS = ['Peer', 'Path', 'Sent', 'Received', 'Round trip', 'Waiting for credit', 'Queued', 'Last minute'];

function newRow(key) {
  const main = make('tr');
  main.setAttribute('role', 'row');
  const cells = COLUMNS.map((label, i) => {
    const cell = make(i ? 'td' : 'th', undefined, i >= 2 && i <= 6 ? 'number' : '');
    cell.setAttribute('role', i ? 'cell' : 'rowheader');
    cell.dataset.label = label;
    main.append(cell);
    return cell;
  });
  const button = make('button', undefined, 'peer');
  const more = make('tr', undefined, 'more');
  more.setAttribute('role', 'row');
  more.hidden = true;
  more.id = 'more-' + rows.size + '-' + key.replace(/[^\w-]/g, '_');
  const panel = make('td');
  panel.colSpan = COLUMNS.length;
  panel.setAttribute('role', 'cell');
  more.append(panel);
  button.type = 'button';
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-controls', more.id);
  button.addEventListener('click', () => toggle(key));
  const state = make('span', undefined, 'badge');
  const note = make('p', undefined, 'quiet');
  cells[0].append(button, state, note);
  const path = make('span', undefined, 'path');
  const why = make('ul', undefined, 'why');
  cells[1].append(path, why);
  for (const i of [2, 3, 4, 5, 6]) {
    cells[i].append(make('span'), make('small'));
  }
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  line.setAttribute('class', 'line');
  line.setAttribute('role', 'img');
  cells[7].append(line);
  return {main, more, panel, button, state, note, path, why, line, numbers: cells.slice(2, 7)};
}

const KINDS = {connected: 'good', connecting: 'wait', away: 'bad', starting: 'wait', directory: 'plain'};

function fill(row, {key, title, peer, connection}, report) {
  const rates = connection ? history.of(connection.id).rates : {};
  say(row.button, title);
  const state = connection ? 'connected' : peer.state;
  say(row.state, state === 'away' && peer.optional ? 'away, optional' : state === 'directory' ? 'in the directory' : state);
  row.state.dataset.kind = state === 'away' && peer.optional ? 'wait' : KINDS[state] ?? 'plain';
  say(row.note, connection ? `${connection.id} · ${ago(connection.since, report.at)}` : absence(peer, report));
  row.main.classList.toggle('absent', !connection);
  say(row.path, connection?.path.chosen ?? '');
  list(row.why, connection ? reasons(connection.path) : obstacles(peer, report));
  pair(row.numbers[0], connection && count(rates.sent) + '/s', connection && bytes(rates.sentBytes) + '/s');
  pair(row.numbers[1], connection && count(rates.received) + '/s', connection && bytes(rates.receivedBytes) + '/s');
  const trips = connection?.roundTrips;
  pair(row.numbers[2], trips && nanos(trips.p50Nanos), trips?.count ? nanos(trips.p99Nanos) : '');
  pair(row.numbers[3], connection && count(rates.stalled), connection && count(connection.creditMessages) + ' left');
  pair(row.numbers[4], connection && count(connection.queuedMessages), connection && bytes(connection.queuedBytes));
  const line = connection ? history.of(connection.id).lines.messages ?? [] : [];
  draw(row.line, line, connection ? `${title}: now ${count(rates.messages)} messages per second` : 'not connected');
}

function absence(peer, report) {
  const parts = [];
  if (peer.service !== undefined) {
    parts.push(`service ${peer.service}`);
  }
  if (peer.instances !== undefined) {
    parts.push(plural(peer.instances, 'instance'));
  }
  if (peer.address) {
    parts.push(peer.address);
  }
  if (peer.since) {
    parts.push(`for ${ago(peer.since, report.at)}`);
  }
  return parts.join(' · ');
}

/** Why there is no connection, and how that goes on. */
function obstacles(peer, report) {
  const next = peer.nextTry ? [`next try in ${span(millis(peer.nextTry) - millis(report.at))}`] : [];
  return peer.lastFailure ? [peer.lastFailure, ...next] : next;
}

/** Why those before the chosen one were not taken, and what else is to be looked at. */
function reasons(path) {
  const better = path.attempts.slice(0, Math.max(0, path.attempts.findIndex(attempt => attempt.outcome === 'chosen')));
  return [...better.map(attempt => `not ${attempt.path}: ${attempt.reason ?? attempt.outcome}`), ...path.warnings];
}

function list(element, texts) {
  while (element.children.length > texts.length) {
    element.lastChild.remove();
  }
  texts.forEach((text, i) => say(element.children[i] ?? element.appendChild(make('li')), text));
}

function pair(cell, first, second) {
  say(cell.firstChild, first || '');
  say(cell.lastChild, second || '');
}

// ---- one peer

function toggle(key) {
  const row = rows.get(key);
  const open = !opened.delete(key);
  if (open) {
    opened.add(key);
    showDetails(key);
  }
  row.more.hidden = !open;
  row.button.setAttribute('aria-expanded', String(open));
}

async function showDetails(key) {
  try {
    const one = await ask('/' + encodeURIComponent(key));
    const row = rows.get(key);
    if (row && opened.has(key)) {
      become(row.panel, details(one));
    }
  } catch (problem) {
    if (!(problem instanceof Refused)) {
      throw problem;
    }
    const row = rows.get(key);
    if (row) {
      become(row.panel, [make('p', problem.message, 'quiet')]);
    }
  }
}

// ---- what else there is

function others(report) {
  table('services', report.services.map(service =>
    [service.service, service.port, service.paths.join(', ') || 'all', service.password ? 'required' : 'none']));
  table('members', report.members.map(member =>
    [member.id, member.host, member.addresses.join(', '), clock(member.since)]));
  table('joined', report.joined.map(pair => [`${pair.client} over ${pair.clientPath}`,
    `${pair.target} over ${pair.targetPath}`, bytes(pair.bytesToTarget), bytes(pair.bytesToClient), clock(pair.since)]));
}

function table(id, lines) {
  const section = at(id);
  section.hidden = lines.length === 0;
  const body = section.querySelector('tbody');
  while (body.rows.length > lines.length) {
    body.lastChild.remove();
  }
  lines.forEach((line, i) => {
    const row = body.rows[i] ?? body.insertRow();
    line.forEach((text, column) => say(row.cells[column] ?? row.insertCell(), text));
  });
}

// ---- when

at('pause').addEventListener('click', () => {
  paused = !paused;
  at('pause').setAttribute('aria-pressed', String(paused));
  if (paused) {
    clearTimeout(timer);
    live('paused', 'wait');
  } else {
    look();
  }
});
at('filter').addEventListener('input', () => latest && peers(latest));
document.addEventListener('visibilitychange', () => document.hidden ? clearTimeout(timer) : paused || look());

look();
