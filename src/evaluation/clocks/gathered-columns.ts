import { type Column, type Session, ValueKind } from '../../session/index.js';
import { at, itemAt } from '../../source/index.js';

/** A session's columns, rearranged for renumbered events. Gathers each column on first use. */
export class GatheredColumns extends Map<string, Column> {
  constructor(
    private readonly session: Session,
    private readonly originals: Int32Array,
  ) {
    super();
  }

  override get(name: string): Column | undefined {
    const column = this.session.columns.get(name);
    if (column === undefined) return undefined;
    const cached = super.get(name);
    if (cached !== undefined) return cached;
    const gatheredColumn = gather(column, this.originals);
    this.set(name, gatheredColumn);
    return gatheredColumn;
  }
}

function gather({ kinds, numbers, exact }: Column, originals: Int32Array): Column {
  const size = originals.length;
  const column = { kinds: new Uint8Array(size), numbers: new Float64Array(size) };
  const integers = exact && new BigInt64Array(size);
  const bigIntegers = new Map<number, bigint>();
  for (let event = 0; event < size; event++) {
    const original = at(originals, event);
    if (original < 0) continue;
    column.kinds[event] = itemAt(kinds, original);
    column.numbers[event] = itemAt(numbers, original);
    if (exact === undefined || integers === undefined || kinds[original] !== ValueKind.integer)
      continue;
    integers[event] = itemAt(exact.integers, original);
    const bigInteger = exact.bigIntegers.get(original);
    if (bigInteger !== undefined) bigIntegers.set(event, bigInteger);
  }
  return { ...column, ...(integers && { exact: { integers, bigIntegers } }) };
}
