import { type Comparator, holds } from '../../expression/index.js';
import { type Column, roundedAt, type Session, ValueKind } from '../../session/index.js';
import { at, compareCodePoints, itemAt } from '../../source/index.js';
import { addExact, compareExact, type Exact, exactInteger, negateExact } from '../exact/number.js';
import type { AttributeOf, QueryOperand, Sum } from '../query/query.js';

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
export function cellsOf(session: Session, operand: QueryOperand, events: Int32Array): Cells {
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
  for (let place = 0; place < events.length; place++) {
    const event = at(events, place);
    if (event < from || event >= to) continue;
    const kind = itemAt(column.kinds, event);
    cells.kinds[place] = kind === ValueKind.integer ? ValueKind.float : kind;
    cells.numbers[place] = itemAt(column.numbers, event);
    if (kind === ValueKind.integer) {
      const exact = exactAt(column, event);
      if (exact !== column.numbers[event]) cells.exact.set(place, exact);
    }
  }
  return cells;
}

/** The sum at each event where all of it are finite numbers; missing elsewhere. */
function sumCells(session: Session, { constant, terms }: Sum, events: Int32Array): Cells {
  const sums = new Array<Exact | undefined>(events.length).fill(constant);
  for (const { sign, attribute } of terms) {
    const cells = attributeCells(session, attribute, events);
    for (let place = 0; place < events.length; place++) {
      const sum = sums[place];
      const value = finiteAt(cells, place);
      sums[place] =
        sum === undefined || value === undefined
          ? undefined
          : addExact(sum, sign === 1 ? value : negateExact(value));
    }
  }
  const result = emptyCells(events.length);
  for (let place = 0; place < events.length; place++) {
    const sum = sums[place];
    if (sum === undefined) continue;
    result.kinds[place] = ValueKind.float;
    if (typeof sum === 'number') result.numbers[place] = sum;
    else result.exact.set(place, sum);
  }
  return result;
}

/** The number at a position, if it is one. */
export function numberAt(cells: Cells, place: number): Exact | undefined {
  if (cells.kinds[place] !== ValueKind.float) return undefined;
  return (
    (cells.exact.size > 0 ? cells.exact.get(place) : undefined) ?? itemAt(cells.numbers, place)
  );
}

function finiteAt(cells: Cells, place: number): Exact | undefined {
  const value = numberAt(cells, place);
  return typeof value === 'number' && !Number.isFinite(value) ? undefined : value;
}

/** An integer of a column, in its canonical form. */
export function exactAt(column: Column, event: number): number | bigint {
  const exact = roundedAt(column, event);
  return exact === undefined ? itemAt(column.numbers, event) : exactInteger(exact);
}

/** The events of a probe as a range, all events where none is named, none where it does not exist. */
export function rangeAt(session: Session, probe: string | undefined): readonly [number, number] {
  if (probe === undefined) return [0, session.size];
  const number = session.probes.indexOf(probe);
  if (number < 0) return [0, 0];
  return [at(session.start, number), at(session.start, number + 1)];
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
  const kind = itemAt(a.kinds, i);
  if (kind === ValueKind.missing || kind !== b.kinds[j]) return false;
  if (kind === ValueKind.float) {
    return holds(comparator, compareExact(numberAt(a, i) as Exact, numberAt(b, j) as Exact));
  }
  const [x, y] = [itemAt(a.numbers, i), itemAt(b.numbers, j)];
  if (comparator === '=') return x === y;
  if (comparator === '!=') return x !== y;
  if (kind !== ValueKind.string) return false;
  return holds(
    comparator,
    compareCodePoints(session.texts[x] as string, session.texts[y] as string),
  );
}
