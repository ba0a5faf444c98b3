import { type Comparator, holds } from '../../expression/index.js';
import { type Column, roundedAt, type Session, ValueKind } from '../../session/index.js';
import { compareCodePoints } from '../../source/index.js';
import { addExact, compareExact, type Exact, exactInteger, negateExact } from '../exact/number.js';
import type { AttributeOf, Operand, Sum } from '../query/query.js';

/** What an operand comes to at each of some events, by their positions in a list. */
export interface Cells {
  /** As in a column, but every number has the kind float. */
  readonly kinds: Uint8Array;
  /** As in a column. */
  readonly numbers: Float64Array;
  /** The numbers that a double does not hold. */
  readonly exact: Map<number, Exact>;
}

/**
 * What an operand comes to at each of `events` (ascending). Its label plays no part.
 *
 * O(events) for each attribute in it.
 */
export function cellsOf(session: Session, operand: Operand, events: Int32Array): Cells {
  switch (operand.kind) {
    case 'attribute':
      return attributeCells(session, operand, events);
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

function attributeCells(session: Session, attribute: AttributeOf, events: Int32Array): Cells {
  const cells = emptyCells(events.length);
  const column = session.columns.get(attribute.name);
  if (column === undefined) return cells;
  const [from, to] = rangeAt(session, attribute.at);
  for (let at = 0; at < events.length; at++) {
    const event = events[at] as number;
    if (event < from || event >= to) continue;
    const kind = column.kinds[event] as number;
    cells.kinds[at] = kind === ValueKind.integer ? ValueKind.float : kind;
    cells.numbers[at] = column.numbers[event] as number;
    if (kind === ValueKind.integer) {
      const exact = exactAt(column, event);
      if (exact !== column.numbers[event]) cells.exact.set(at, exact);
    }
  }
  return cells;
}

/** The sum at each event where all of it are finite numbers; missing elsewhere. */
function sumCells(session: Session, { constant, terms }: Sum, events: Int32Array): Cells {
  const sums = new Array<Exact | undefined>(events.length).fill(constant);
  for (const { sign, attribute } of terms) {
    const cells = attributeCells(session, attribute, events);
    for (let at = 0; at < events.length; at++) {
      const sum = sums[at];
      const value = finiteAt(cells, at);
      sums[at] =
        sum === undefined || value === undefined
          ? undefined
          : addExact(sum, sign === 1 ? value : negateExact(value));
    }
  }
  const result = emptyCells(events.length);
  for (let at = 0; at < events.length; at++) {
    const sum = sums[at];
    if (sum === undefined) continue;
    result.kinds[at] = ValueKind.float;
    if (typeof sum === 'number') result.numbers[at] = sum;
    else result.exact.set(at, sum);
  }
  return result;
}

/** The number at a position, if it is one. */
export function numberAt(cells: Cells, at: number): Exact | undefined {
  if (cells.kinds[at] !== ValueKind.float) return undefined;
  return (cells.exact.size > 0 ? cells.exact.get(at) : undefined) ?? (cells.numbers[at] as number);
}

function finiteAt(cells: Cells, at: number): Exact | undefined {
  const value = numberAt(cells, at);
  return typeof value === 'number' && !Number.isFinite(value) ? undefined : value;
}

/** An integer of a column, in its canonical form. */
export function exactAt(column: Column, event: number): number | bigint {
  const exact = roundedAt(column, event);
  return exact === undefined ? (column.numbers[event] as number) : exactInteger(exact);
}

/** The events of a probe as a range, all events where none is named, none where it does not exist. */
export function rangeAt(session: Session, probe: string | undefined): readonly [number, number] {
  if (probe === undefined) return [0, session.size];
  const number = session.probes.indexOf(probe);
  if (number < 0) return [0, 0];
  return [session.start[number] as number, session.start[number + 1] as number];
}

/** Whether the value of `a` at `i` compares so with that of `b` at `j`; false between kinds. */
export function cellsHold(
  session: Session,
  comparator: Comparator,
  a: Cells,
  i: number,
  b: Cells,
  j: number,
): boolean {
  const kind = a.kinds[i] as number;
  if (kind === ValueKind.missing || kind !== b.kinds[j]) return false;
  if (kind === ValueKind.float) {
    return holds(comparator, compareExact(numberAt(a, i) as Exact, numberAt(b, j) as Exact));
  }
  const [x, y] = [a.numbers[i] as number, b.numbers[j] as number];
  if (comparator === '=') return x === y;
  if (comparator === '!=') return x !== y;
  if (kind !== ValueKind.string) return false;
  return holds(
    comparator,
    compareCodePoints(session.texts[x] as string, session.texts[y] as string),
  );
}
