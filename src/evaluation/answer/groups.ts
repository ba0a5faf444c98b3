import { printString } from '../../expression/index.js';
import { type Session, ValueKind } from '../../session/index.js';
import { at } from '../../source/index.js';
import { addExact, type Exact, negateExact, toRational } from '../exact/number.js';
import { showTerm, valueOfNumber } from '../exact/term-value.js';
import { Undecided } from '../exact/undecided.js';
import type { QueryBy, QueryKey } from '../query/query.js';
import { type Cells, cellsOf, numberAt, timesOf } from '../select/cells.js';
import { placeOf, placeText } from './listing.js';
import type { GroupKey } from './result.js';
import type { MatchedGroups } from './source.js';
import { keyOfTallyValue, tallyValueAt } from './tally.js';

/** Groups of bindings to compute over, by the group that a label's event is in. */
export interface Grouping {
  readonly label: number;
  readonly size: number;
  /** The group of each event of the session, or -1. */
  readonly groupOf: Int32Array;
}

/**
 * Returns the groups that keys make.
 *
 * @param accepted for each label, the events that its pattern and the FILTER conjuncts on it alone accept
 * @throws {Undecided} if there are too many
 */
export function groupsOf(
  session: Session,
  { label, keys, hasNone }: QueryBy,
  accepted: readonly Int32Array[],
): Grouping & MatchedGroups {
  const events = hasNone ? new Int32Array(0) : (accepted[label] as Int32Array);
  const plain = keys.filter((key) => key.kind !== 'window');
  const stretches = keys.flatMap((key) => (key.kind === 'window' ? [windowsOf(session, key)] : []));
  const ofPlain = numberByKeys(session, events, plain);
  const perValue = stretches.reduce((all, { count }) => all * count, 1);
  const values = plain.length === 0 ? 1 : ofPlain.firsts.length;
  const all = values * perValue;
  if (!Number.isSafeInteger(all)) throw tooManyGroups(keys);

  const groupOf = new Int32Array(session.size).fill(-1);
  const groupNumbers = new Map<number, number>();
  let cutOff = 0;
  const places = stretches.map((stretch) => stretch.places(events));
  const countOf = (which: number) => (stretches[which] as Windows).count;
  events.forEach((event, position) => {
    const value = at(ofPlain.numbers, position);
    if (value < 0) return;
    const windows = places.map((all) => all[position] as number);
    if (windows.some((window, which) => window >= countOf(which))) cutOff++;
    if (!windows.every((window, which) => window >= 0 && window < countOf(which))) return;
    const cell = windows.reduce((all, window, which) => all * countOf(which) + window, value);
    const group = groupNumbers.get(cell) ?? groupNumbers.size;
    if (group === groupNumbers.size) groupNumbers.set(cell, group);
    groupOf[event] = group;
  });
  const empty = all - groupNumbers.size;
  const cells = [...groupNumbers.keys()];
  const emptyCell = () => {
    let cell = 0;
    while (groupNumbers.has(cell)) cell++;
    return cell;
  };

  return {
    label,
    size: groupNumbers.size + (empty > 0 ? 1 : 0),
    groupOf,
    all,
    weight: (group) => (group < groupNumbers.size ? 1 : empty),
    first: (group) => events.find((event) => groupOf[event] === group),
    keys(group) {
      const [value, windows] = splitCell(cells[group] ?? emptyCell(), stretches);
      const first = at(events, ofPlain.firsts[value] ?? 0);
      let window = 0;
      return keys.map((key): GroupKey => {
        if (key.kind !== 'window') return keyOfEvent(session, key, first);
        const stretch = stretches[window] as Windows;
        return { key: key.text, value: stretch.text(windows[window++] as number) };
      });
    },
    ...(stretches.length > 0 && { cutOff }),
  };
}

/** Splits a cell's number into the number of the plain keys' values and the windows. */
export function splitCell(
  cell: number,
  stretches: readonly { readonly count: number }[],
): readonly [value: number, windows: readonly number[]] {
  let value = cell;
  const windows: number[] = [];
  for (const { count } of stretches.toReversed()) {
    windows.unshift(value % count);
    value = Math.floor(value / count);
  }
  return [value, windows];
}

/** The reason for no verdict when doubles cannot number the groups. */
export function tooManyGroups(keys: readonly QueryKey[]): Undecided {
  const clause = `BY ${keys.map(({ text }) => text).join(', ')}`;
  const help = 'make the windows longer';
  return new Undecided(clause, 'it makes too many groups', help);
}

function keyOfEvent(
  session: Session,
  key: Exclude<QueryKey, { kind: 'window' }>,
  event: number,
): GroupKey {
  if (key.kind === 'event') {
    const place = placeOf(session, event);
    return { key: key.text, value: placeText(place), event: place };
  }
  const cells = cellsOf(session, key.attribute, Int32Array.of(event));
  return { key: key.text, value: valueText(session, cells) };
}

/** Numbers events by the values of their keys; -1 where a key is missing. */
function numberByKeys(session: Session, events: Int32Array, keys: readonly QueryKey[]) {
  const numbers = new Int32Array(events.length);
  const firsts: number[] = [];
  if (keys.length === 0) return { numbers, firsts };
  if (keys.every(({ kind }) => kind === 'event')) {
    const places = Int32Array.from(events.keys());
    return { numbers: places, firsts: places };
  }
  const columns = keys.map((key) =>
    key.kind === 'value' ? cellsOf(session, key.attribute, events) : undefined,
  );
  const keyNumbers = new Map<number | bigint | string, number>();
  const parts = new Array<number | bigint | string>(keys.length);
  for (let position = 0; position < events.length; position++) {
    let isMissing = false;
    columns.forEach((cells, which) => {
      const value = cells === undefined ? at(events, position) : tallyValueAt(cells, position);
      if (value === undefined) isMissing = true;
      else parts[which] = keyOfTallyValue(value);
    });
    if (isMissing) {
      numbers[position] = -1;
      continue;
    }
    const [only] = parts;
    const key = parts.length === 1 ? (only as number) : JSON.stringify(parts.map(String));
    const number = keyNumbers.get(key) ?? keyNumbers.size;
    if (number === keyNumbers.size) {
      keyNumbers.set(key, number);
      firsts.push(position);
    }
    numbers[position] = number;
  }
  return { numbers, firsts };
}

/** The full windows of a session. */
interface Windows {
  readonly count: number;
  /** Returns the window that each event is in, even beyond the full ones; -1 without a time. */
  places(events: Int32Array): Float64Array;
  text(window: number): string;
}

function windowsOf(session: Session, key: Extract<QueryKey, { kind: 'window' }>): Windows {
  const { start, end } = timesOf(session);
  const isTimed = isFiniteNumber(start) && isFiniteNumber(end);
  const from = start ?? 0;
  const indexOf = (time: Exact): number => {
    const { n, d } = toRational(addExact(time, negateExact(from)));
    return n < 0n ? -1 : Number(n / (d * key.size));
  };
  return {
    count: isTimed ? indexOf(end) : 0,
    places(events) {
      const cells = cellsOf(session, key.time, events);
      return Float64Array.from(events, (_, position) => {
        const time = numberAt(cells, position);
        return isTimed && isFiniteNumber(time) ? indexOf(time) : -1;
      });
    },
    text: (window) => windowText(from, key, window),
  };
}

/** Formats the start of a window for people. */
export function windowText(start: Exact, { size }: { readonly size: bigint }, window: number) {
  return showTerm(valueOfNumber(addExact(start, BigInt(window) * size)));
}

function isFiniteNumber(value: Exact | undefined): value is Exact {
  return value !== undefined && (typeof value !== 'number' || Number.isFinite(value));
}

/**
 * Formats the first value for people as an expression writes it, which distinguishes the text '1' from the number
 * 1.
 */
function valueText(session: Session, cells: Cells): string {
  const number = numberAt(cells, 0);
  if (number !== undefined) return showTerm(valueOfNumber(number));
  const value = cells.numbers[0] as number;
  if (cells.kinds[0] === ValueKind.boolean) return String(value === 1);
  const text = session.texts[value] as string;
  return cells.kinds[0] === ValueKind.string ? printString(text) : text;
}
