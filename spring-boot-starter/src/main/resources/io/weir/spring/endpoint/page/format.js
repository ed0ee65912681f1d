// Numbers, times and sizes as people read them: three digits are what a look is worth.

const NONE = '–';

/** 0, 4.2, 18, 950, 1.2 k, 3.4 M */
export function count(value) {
  return scaled(value, 1000, ['', ' k', ' M', ' G', ' T']);
}

/** 512 B, 1.5 KiB */
export function bytes(value) {
  return scaled(value, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']);
}

function scaled(value, step, units) {
  if (value === undefined || value === null || Number.isNaN(value)) {
    return NONE;
  }
  let unit = 0;
  while (Math.abs(value) >= step * 0.9995 && unit < units.length - 1) {
    value /= step;
    unit++;
  }
  return digits(value, unit > 0) + units[unit];
}

function digits(value, always) {
  return value !== 0 && value < 9.95 && (always || !Number.isInteger(value)) ? value.toFixed(1) : Math.round(value).toString();
}

/** 850 ns, 12 µs, 3.4 ms, 2 s */
export function nanos(value) {
  return value === undefined ? NONE : scaled(value, 1000, [' ns', ' µs', ' ms', ' s']);
}

/** 4 s, 3 min, 2 h, 5 d */
export function span(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  for (const [unit, length] of [['d', 86400], ['h', 3600], ['min', 60]]) {
    if (seconds >= 2 * length) {
      return Math.floor(seconds / length) + ' ' + unit;
    }
  }
  return seconds + ' s';
}

/** What an instant is in milliseconds; not every browser reads more digits than these. */
export function millis(instant) {
  return Date.parse(instant.replace(/(\.\d{3})\d+/, '$1'));
}

/** How long ago, by the clock of the node. */
export function ago(instant, now) {
  return span(millis(now) - millis(instant));
}

export function clock(instant) {
  return new Date(millis(instant)).toLocaleTimeString(undefined, {hour12: false});
}
