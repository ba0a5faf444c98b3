import { type Comparator, globMatcher, holds } from '../../expression/index.js';
import { type Column, roundedIntegerAt, type Session, ValueKind } from '../../session/index.js';
import { at, compareCodePoints, itemAt } from '../../source/index.js';
import {
  addExact,
  compareExact,
  divideExact,
  type ExactNumber,
  exactInteger,
  isInfinite,
  keyOfExact,
  multiplyExact,
  negateExact,
  TooManyDigitsError,
} from '../exact/number.js';
import { attributesOfOperand, keysOfMembers } from '../query/operand.js';
import type {
  AbsoluteValue,
  LabelAttribute,
  LeafTest,
  Product,
  QueryOperand,
  SessionTimes,
  Sum,
} from '../query/query.js';
import { eventsWithin, keep } from './candidates.js';
import { columnFor, columnTexts } from './columns.js';
import { asRegrouped, originalOf } from './regrouped.js';

/** An operand's values at the events of a list, by position. */
export interface Cells {
  /** Kinds as in a column, except that every number has the kind float. */
  readonly kinds: Uint8Array;
  /** Numbers as in a column. */
  readonly numbers: Float64Array;
  /** The numbers that a double cannot represent, by position. */
  readonly exact: Map<number, ExactNumber>;
}

/**
 * Computes an operand at each event of an ascending list, regardless of the operand's label.
 *
 * O(events) for each attribute of the operand.
 */
export function cellsOf(session: Session, operand: QueryOperand, events: Int32Array): Cells {
  switch (operand.kind) {
    case 'attribute':
      return attributeCells(session, operand, events);
    case 'event':
      return {
        ...emptyCells(events.length),
        kinds: new Uint8Array(events.length).fill(ValueKind.float),
        numbers: Float64Array.from(events),
      };
    case 'sum':
      return sumCells(session, operand, events);
    case 'constant':
    case 'nothing':
      return emptyCells(events.length);
  }
}

function emptyCells(length: number): Cells {
  return { kinds: new Uint8Array(length), numbers: new Float64Array(length), exact: new Map() };
}

function attributeCells(session: Session, attribute: LabelAttribute, events: Int32Array): Cells {
  const cells = emptyCells(events.length);
  const column = columnFor(session, attribute);
  if (column === undefined) return cells;
  const [from, to] = rangeAt(session, attribute.at);
  const originals = attribute.at === undefined ? undefined : asRegrouped(session)?.originals;
  for (let position = 0; position < events.length; position++) {
    const event = at(events, position);
    const original = originals === undefined ? event : at(originals, event);
    if (original < from || original >= to) continue;
    const kind = itemAt(column.kinds, event);
    cells.kinds[position] = kind === ValueKind.integer ? ValueKind.float : kind;
    cells.numbers[position] = itemAt(column.numbers, event);
    if (kind === ValueKind.integer) {
      const exact = exactNumberAt(column, event);
      if (exact !== column.numbers[event]) cells.exact.set(position, exact);
    }
  }
  return cells;
}

/** Computes a sum at each event. The value is missing if a term is missing, or infinite and not alone. */
function sumCells(session: Session, sum: Sum, events: Int32Array): Cells {
  const values = new Map<LabelAttribute, Cells>();
  const cellsByKey = new Map<string, Cells>();
  for (const attribute of attributesOfOperand(sum)) {
    const key = JSON.stringify([attribute.name, attribute.at]);
    const cells = cellsByKey.get(key) ?? attributeCells(session, attribute, events);
    cellsByKey.set(key, cells);
    values.set(attribute, cells);
  }
  const result = emptyCells(events.length);
  const [singleTerm, ...otherTerms] = sum.terms;
  if (singleTerm?.of.kind === 'attribute' && otherTerms.length === 0 && sum.constant === 0) {
    const { times, of, isAlone } = singleTerm;
    if (times === 1 || times === -1) return signedCells(values.get(of) as Cells, times, isAlone);
  }
  for (let position = 0; position < events.length; position++) {
    const value = sumOf(sum, (attribute) => numberAt(values.get(attribute) as Cells, position));
    if (value === undefined) continue;
    result.kinds[position] = ValueKind.float;
    if (typeof value === 'number') result.numbers[position] = value;
    else result.exact.set(position, value);
  }
  return result;
}

/** Computes an attribute's values or their negations, the most common sums. */
function signedCells({ kinds, numbers, exact }: Cells, sign: 1 | -1, isAlone = false): Cells {
  const result = emptyCells(kinds.length);
  for (let position = 0; position < kinds.length; position++) {
    const value = itemAt(numbers, position);
    if (kinds[position] !== ValueKind.float || !(isAlone || Number.isFinite(value))) continue;
    result.kinds[position] = ValueKind.float;
    // Adding 0 turns -0 into 0.
    result.numbers[position] = sign * value + 0;
  }
  for (const [position, value] of exact) {
    result.exact.set(position, sign === 1 ? value : negateExact(value));
  }
  return result;
}

/**
 * Computes a sum from its attributes' numbers. Returns undefined if the sum has no value.
 *
 * @throws {TooManyDigitsError} naming the sum's attributes
 */
export function sumOf(
  sum: Sum,
  numberOf: (attribute: LabelAttribute) => ExactNumber | undefined,
): ExactNumber | undefined {
  try {
    return addTerms(sum, numberOf);
  } catch (error) {
    if (!(error instanceof TooManyDigitsError)) throw error;
    const names = new Set(attributesOfOperand(sum).map(({ name }) => name));
    throw new TooManyDigitsError(`the calculation with ${[...names].join(', ')}`);
  }
}

function addTerms(
  { constant, terms }: Sum,
  numberOf: (attribute: LabelAttribute) => ExactNumber | undefined,
): ExactNumber | undefined {
  let sum = constant;
  for (const { times, of, isAlone } of terms) {
    const value =
      of.kind === 'attribute'
        ? numberOf(of)
        : of.kind === 'product'
          ? productOf(of, numberOf)
          : absoluteOf(of, numberOf);
    if (value === undefined || (isInfinite(value) && !isAlone)) return undefined;
    const term =
      times === 1 ? value : times === -1 ? negateExact(value) : multiplyExact(times, value);
    sum = addExact(sum, term);
  }
  return sum;
}

function productOf(
  { factors }: Product,
  numberOf: (attribute: LabelAttribute) => ExactNumber | undefined,
): ExactNumber | undefined {
  let product: ExactNumber | undefined = 1;
  for (const { sign, of } of factors) {
    const factor = sumOf(of, numberOf);
    if (factor === undefined || product === undefined) return undefined;
    product = sign === '*' ? multiplyExact(product, factor) : divideExact(product, factor);
  }
  return product;
}

function absoluteOf(
  { of }: AbsoluteValue,
  numberOf: (attribute: LabelAttribute) => ExactNumber | undefined,
): ExactNumber | undefined {
  const value = sumOf(of, numberOf);
  return value !== undefined && compareExact(value, 0) < 0 ? negateExact(value) : value;
}

/** Returns the number at a position, or undefined if the value is not a number. */
export function numberAt(cells: Cells, position: number): ExactNumber | undefined {
  if (cells.kinds[position] !== ValueKind.float) return undefined;
  return (
    (cells.exact.size > 0 ? cells.exact.get(position) : undefined) ??
    itemAt(cells.numbers, position)
  );
}

/** Returns an event's exact number in a column, in canonical form. */
export function exactNumberAt(column: Column, event: number): number | bigint {
  const exact = roundedIntegerAt(column, event);
  return exact === undefined ? itemAt(column.numbers, event) : exactInteger(exact);
}

/**
 * Returns a probe's events as a half-open range in the original session. If `probe` is undefined, returns all
 * events; if it is unknown, an empty range.
 */
function rangeAt(session: Session, probe: string | undefined): readonly [number, number] {
  if (probe === undefined) return [0, session.size];
  const { probes, start } = originalOf(session);
  const number = probes.indexOf(probe);
  if (number < 0) return [0, 0];
  return [at(start, number), at(start, number + 1)];
}

/** Returns a list's events at a probe, or the whole list if `probe` is undefined. */
export function eventsAt(
  session: Session,
  events: Int32Array,
  probe: string | undefined,
): Int32Array {
  if (probe === undefined) return events;
  const range = rangeAt(session, probe);
  const originals = asRegrouped(session)?.originals;
  if (originals === undefined) return eventsWithin(events, range);
  return keep(
    events,
    (event) => at(originals, event) >= range[0] && at(originals, event) < range[1],
  );
}

/**
 * True if a comparison holds between the value of `a` at `i` and the value of `b` at `j`. Always false for values of
 * different kinds.
 */
export function cellsHold(
  session: Session,
  comparator: Comparator,
  a: Cells,
  i: number,
  b: Cells,
  j: number,
): boolean {
  const kind = itemAt(a.kinds, i);
  if (kind === ValueKind.missing || kind !== b.kinds[j]) return false;
  if (kind === ValueKind.float) {
    return holds(
      comparator,
      compareExact(numberAt(a, i) as ExactNumber, numberAt(b, j) as ExactNumber),
    );
  }
  const [x, y] = [itemAt(a.numbers, i), itemAt(b.numbers, j)];
  if (comparator === '=') return x === y;
  if (comparator === '!=') return x !== y;
  if (kind !== ValueKind.string) return false;
  const texts = columnTexts(session);
  return holds(comparator, compareCodePoints(texts[x] as string, texts[y] as string));
}

/** Returns a predicate on positions for a leaf other than a comparison, given its operand's cells. */
export function cellTest(
  session: Session,
  leaf: Exclude<LeafTest, { kind: 'comparison' }>,
  cells: Cells,
): (position: number) => boolean {
  const texts = columnTexts(session);
  const { kinds, numbers } = cells;
  if (leaf.kind === 'exists') return (position) => kinds[position] !== ValueKind.missing;
  const members: ReadonlySet<unknown> = leaf.kind === 'in' ? keysOfMembers(leaf) : new Set();
  const isText =
    leaf.kind === 'in' ? (text: string) => members.has(`'${text}`) : globMatcher(leaf.pattern);
  // The result for each distinct text: 0 means unknown, 1 false, 2 true.
  const truths = new Uint8Array(texts.length);
  return (position) => {
    switch (kinds[position]) {
      case ValueKind.string: {
        const index = itemAt(numbers, position);
        if (truths[index] === 0) truths[index] = isText(texts[index] as string) ? 2 : 1;
        return truths[index] === 2;
      }
      case ValueKind.float:
        return members.has(keyOfExact(numberAt(cells, position) as ExactNumber));
      case ValueKind.boolean:
        return members.has(numbers[position] === 1);
      default:
        return false;
    }
  };
}

const times = new WeakMap<Session, SessionTimes>();

/** Returns a session's start and end times. Computed once per session, in O(events). */
export function timesOf(session: Session): SessionTimes {
  const original = originalOf(session);
  const sessionTimes = times.get(original) ?? findTimes(original);
  times.set(original, sessionTimes);
  return sessionTimes;
}

function findTimes({ columns, size }: Session): SessionTimes {
  const column = columns.get('time');
  let start: ExactNumber | undefined;
  let end: ExactNumber | undefined;
  for (let event = 0; column !== undefined && event < size; event++) {
    const kind = column.kinds[event];
    if (kind !== ValueKind.integer && kind !== ValueKind.float) continue;
    const time = exactNumberAt(column, event);
    if (start === undefined || compareExact(time, start) < 0) start = time;
    if (end === undefined || compareExact(time, end) > 0) end = time;
  }
  return start === undefined || end === undefined ? {} : { start, end };
}
