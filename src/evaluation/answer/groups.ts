import { printString } from '../../expression/index.js';
import { type Session, ValueKind } from '../../session/index.js';
import { at } from '../../source/index.js';
import { addExact, type ExactNumber, negateExact, toRational } from '../exact/number.js';
import { showTerm, valueOfNumber } from '../exact/term-value.js';
import { Undecided } from '../exact/undecided.js';
import type { QueryGroups, QueryKey } from '../query/query.js';
import { type Cells, cellsOf, numberAt, timesOf } from '../select/cells.js';
import { eventPlace, placeText } from './listing.js';
import type { GroupKey } from './result.js';
import type { MatchedGroups } from './source.js';
import { keyOfTallyValue, tallyValueAt } from './tally.js';

/** Groups of bindings, determined by one label's event. */
export interface Grouping {
  readonly label: number;
  readonly size: number;
  /** Each session event's group, or -1 for an event in no group. */
  readonly groupOf: Int32Array;
}

/**
 * Groups events by the keys of BY.
 *
 * @param acceptedEvents by label, the events that satisfy the label's pattern and the FILTER conjuncts on that label
 * alone
 * @throws {Undecided} if there are too many groups
 */
export function makeGroups(
  session: Session,
  { label, keys, hasNone }: QueryGroups,
  acceptedEvents: readonly Int32Array[],
): Grouping & MatchedGroups {
  const events = hasNone ? new Int32Array(0) : (acceptedEvents[label] as Int32Array);
  const plainKeys = keys.filter((key) => key.kind !== 'window');
  const stretches = keys.flatMap((key) =>
    key.kind === 'window' ? [makeWindows(session, key)] : [],
  );
  const plainNumbers = numberByKeys(session, events, plainKeys);
  const perValue = stretches.reduce((product, { count }) => product * count, 1);
  const values = plainKeys.length === 0 ? 1 : plainNumbers.firsts.length;
  const cellCount = values * perValue;
  if (!Number.isSafeInteger(cellCount)) throw tooManyGroups(keys);

  const groupOf = new Int32Array(session.size).fill(-1);
  const groupNumbers = new Map<number, number>();
  let cutOffCount = 0;
  const windowIndexes = stretches.map((stretch) => stretch.indexes(events));
  const countOf = (index: number) => (stretches[index] as Windows).count;
  events.forEach((event, position) => {
    const value = at(plainNumbers.numbers, position);
    if (value < 0) return;
    const windows = windowIndexes.map((eventWindows) => eventWindows[position] as number);
    if (windows.some((window, index) => window >= countOf(index))) cutOffCount++;
    if (!windows.every((window, index) => window >= 0 && window < countOf(index))) return;
    const cell = windows.reduce(
      (product, window, index) => product * countOf(index) + window,
      value,
    );
    const group = groupNumbers.get(cell) ?? groupNumbers.size;
    if (group === groupNumbers.size) groupNumbers.set(cell, group);
    groupOf[event] = group;
  });
  const emptyCount = cellCount - groupNumbers.size;
  const cells = [...groupNumbers.keys()];
  const emptyCell = () => {
    let cell = 0;
    while (groupNumbers.has(cell)) cell++;
    return cell;
  };

  return {
    label,
    size: groupNumbers.size + (emptyCount > 0 ? 1 : 0),
    groupOf,
    all: cellCount,
    weight: (group) => (group < groupNumbers.size ? 1 : emptyCount),
    first: (group) => events.find((event) => groupOf[event] === group),
    keys(group) {
      const [value, windows] = splitCell(cells[group] ?? emptyCell(), stretches);
      const example = at(events, plainNumbers.firsts[value] ?? 0);
      let window = 0;
      return keys.map((key): GroupKey => {
        if (key.kind !== 'window') return keyOfEvent(session, key, example);
        const stretch = stretches[window] as Windows;
        return { key: key.text, value: stretch.text(windows[window++] as number) };
      });
    },
    ...(stretches.length > 0 && { cutOff: cutOffCount }),
  };
}

/** Splits a cell's number into the plain keys' value number and the window indexes. */
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

/** Returns the reason for an undecided result: more groups than doubles can number. */
export function tooManyGroups(keys: readonly QueryKey[]): Undecided {
  const clause = `BY ${keys.map(({ text }) => text).join(', ')}`;
  const help = 'make the windows longer';
  return new Undecided(clause, 'too many groups', help);
}

function keyOfEvent(
  session: Session,
  key: Exclude<QueryKey, { kind: 'window' }>,
  event: number,
): GroupKey {
  if (key.kind === 'event') {
    const location = eventPlace(session, event);
    return { key: key.text, value: placeText(location), event: location };
  }
  const cells = cellsOf(session, key.attribute, Int32Array.of(event));
  return { key: key.text, value: valueText(session, cells) };
}

/** Numbers events by their key values; -1 for an event without a value for a key. */
function numberByKeys(session: Session, events: Int32Array, keys: readonly QueryKey[]) {
  const numbers = new Int32Array(events.length);
  const firstEvents: number[] = [];
  if (keys.length === 0) return { numbers, firsts: firstEvents };
  if (keys.every(({ kind }) => kind === 'event')) {
    const order = Int32Array.from(events.keys());
    return { numbers: order, firsts: order };
  }
  const columns = keys.map((key) =>
    key.kind === 'value' ? cellsOf(session, key.attribute, events) : undefined,
  );
  const keyNumbers = new Map<number | bigint | string, number>();
  const parts = new Array<number | bigint | string>(keys.length);
  for (let position = 0; position < events.length; position++) {
    let lacksValue = false;
    columns.forEach((cells, index) => {
      const value = cells === undefined ? at(events, position) : tallyValueAt(cells, position);
      if (value === undefined) lacksValue = true;
      else parts[index] = keyOfTallyValue(value);
    });
    if (lacksValue) {
      numbers[position] = -1;
      continue;
    }
    const [single] = parts;
    const key = parts.length === 1 ? (single as number) : JSON.stringify(parts.map(String));
    const number = keyNumbers.get(key) ?? keyNumbers.size;
    if (number === keyNumbers.size) {
      keyNumbers.set(key, number);
      firstEvents.push(position);
    }
    numbers[position] = number;
  }
  return { numbers, firsts: firstEvents };
}

/** A session's full windows. */
interface Windows {
  readonly count: number;
  /**
   * Returns each event's window, which may lie beyond the full windows; -1 for an event without a time or before the
   * first window.
   */
  indexes(events: Int32Array): Float64Array;
  text(window: number): string;
}

function makeWindows(session: Session, key: Extract<QueryKey, { kind: 'window' }>): Windows {
  const { start, end } = timesOf(session);
  const isTimed = isFiniteNumber(start) && isFiniteNumber(end);
  const from = start ?? 0;
  const indexOf = (time: ExactNumber): number => {
    const { n, d } = toRational(addExact(time, negateExact(from)));
    return n < 0n ? -1 : Number(n / (d * key.size));
  };
  return {
    count: isTimed ? indexOf(end) : 0,
    indexes(events) {
      const cells = cellsOf(session, key.time, events);
      return Float64Array.from(events, (_, position) => {
        const time = numberAt(cells, position);
        return isTimed && isFiniteNumber(time) ? indexOf(time) : -1;
      });
    },
    text: (window) => windowText(from, key, window),
  };
}

/** Formats a window's start time. */
export function windowText(
  start: ExactNumber,
  { size }: { readonly size: bigint },
  window: number,
) {
  return showTerm(valueOfNumber(addExact(start, BigInt(window) * size)));
}

function isFiniteNumber(value: ExactNumber | undefined): value is ExactNumber {
  return value !== undefined && (typeof value !== 'number' || Number.isFinite(value));
}

/** Formats the first value in expression syntax, which distinguishes the string '1' from the number 1. */
function valueText(session: Session, cells: Cells): string {
  const number = numberAt(cells, 0);
  if (number !== undefined) return showTerm(valueOfNumber(number));
  const value = cells.numbers[0] as number;
  if (cells.kinds[0] === ValueKind.boolean) return String(value === 1);
  const text = session.texts[value] as string;
  return cells.kinds[0] === ValueKind.string ? printString(text) : text;
}
