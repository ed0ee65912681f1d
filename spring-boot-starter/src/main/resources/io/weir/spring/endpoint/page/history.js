// The endpoint tells counters; what goes per second is the difference of two reports, and the last minute of it is kept here.

import {millis} from './format.js';

const SAMPLES = 60;

/** Keeps what goes per second for one thing, by name. */
class Series {
  constructor() {
    this.rates = {};
    this.lines = {};
    this.last = null;
  }

  add(at, counters) {
    const before = this.last;
    this.last = {at, counters};
    const seconds = before ? (at - before.at) / 1000 : 0;
    // Counters begin anew with a connection, and who was not looked at for long would show an average.
    if (seconds <= 0 || seconds > 10 || Object.keys(counters).some(name => counters[name] < before.counters[name])) {
      this.rates = {};
      return;
    }
    for (const name of Object.keys(counters)) {
      this.rates[name] = (counters[name] - before.counters[name]) / seconds;
      const line = this.lines[name] ??= [];
      line.push(this.rates[name]);
      line.splice(0, line.length - SAMPLES);
    }
  }
}

function counters(connection) {
  return {
    sent: connection.sent.messages,
    sentBytes: connection.sent.bytes,
    received: connection.received.messages,
    receivedBytes: connection.received.bytes,
    messages: connection.sent.messages + connection.received.messages,
    stalled: connection.creditStallNanos / 1e9,
  };
}

/** What goes per second, for each connection and for all together. */
export class History {
  constructor() {
    this.series = new Map();
    this.total = {rates: {}, lines: {}};
  }

  add(report) {
    const at = millis(report.at);
    const known = new Map();
    const sum = {};
    for (const connection of report.connections) {
      const series = this.series.get(connection.id) ?? new Series();
      series.add(at, counters(connection));
      known.set(connection.id, series);
      for (const [name, rate] of Object.entries(series.rates)) {
        sum[name] = (sum[name] ?? 0) + rate;
      }
    }
    this.series = known;
    this.total.rates = sum;
    for (const name of ['sent', 'received', 'stalled']) {
      const line = this.total.lines[name] ??= [];
      line.push(sum[name] ?? 0);
      line.splice(0, line.length - SAMPLES);
    }
  }

  of(id) {
    return this.series.get(id) ?? {rates: {}, lines: {}};
  }
}

/** Draws a line of values, the latest at the right. */
export function draw(svg, values, text) {
  const width = SAMPLES - 1;
  const height = 24;
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-label', text);
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, i) =>
    `${width - (values.length - 1 - i)},${(height - 1.5 - (height - 3) * value / most).toFixed(1)}`);
  shape(svg, 'polygon', points.length < 2 ? '' :
    `${width - (values.length - 1)},${height} ${points.join(' ')} ${width},${height}`);
  shape(svg, 'polyline', points.join(' '));
}

function shape(svg, name, points) {
  let drawn = svg.querySelector(name);
  if (!drawn) {
    drawn = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', name));
    drawn.setAttribute('vector-effect', 'non-scaling-stroke');
  }
  drawn.setAttribute('points', points);
}
