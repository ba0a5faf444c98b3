import { ValueKind } from '../../session/index.js';
import { type Exact, keyOfExact } from '../exact/number.js';
import { type Cells, numberAt } from '../select/cells.js';

/** For each event of two lists the group that it is in, or -1: it goes with none of the other list. */
export interface Keys {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly count: number;
}

/** What both sides must agree in: the value, or only its kind (as for `!=` and `<`). */
export interface Agreement {
  readonly a: Cells;
  readonly b: Cells;
  readonly of: 'value' | 'kind' | 'ordered kind';
}

/** Groups the events of two lists by what they must agree in. O(events * agreements), by hashing. */
export function groupByKeys(sizeA: number, sizeB: number, agreements: readonly Agreement[]): Keys {
  let keys: Keys = { a: new Int32Array(sizeA), b: new Int32Array(sizeB), count: 1 };
  for (const { a, b, of } of agreements) {
    const codes = new Map<unknown, number>();
    const codeA = codesOf(a, of, codes);
    const codeB = codesOf(b, of, codes);
    if (keys.count === 1) {
      keys = { a: merge(keys.a, codeA), b: merge(keys.b, codeB), count: codes.size };
      continue;
    }
    const pairs = new Map<number, number>();
    keys = {
      a: merge(keys.a, codeA, { pairs, width: codes.size }),
      b: merge(keys.b, codeB, { pairs, width: codes.size }),
      count: pairs.size,
    };
  }
  return keys;
}

/** Numbers the values as they come. */
function codesOf(cells: Cells, of: Agreement['of'], codes: Map<unknown, number>): Int32Array {
  const result = new Int32Array(cells.kinds.length).fill(-1);
  for (let at = 0; at < result.length; at++) {
    const kind = cells.kinds[at] as number;
    if (kind === ValueKind.missing) continue;
    if (of === 'ordered kind' && kind !== ValueKind.float && kind !== ValueKind.string) continue;
    const key = of === 'value' ? valueKey(cells, kind, at) : kind;
    let code = codes.get(key);
    if (code === undefined) {
      code = codes.size;
      codes.set(key, code);
    }
    result[at] = code;
  }
  return result;
}

/** Numbers as themselves; texts and the like by kind and index, as texts of their own. */
function valueKey(cells: Cells, kind: number, at: number): number | bigint | string {
  if (kind === ValueKind.float) return keyOfExact(numberAt(cells, at) as Exact);
  return `${kind}:${cells.numbers[at]}`;
}

function merge(
  keys: Int32Array,
  codes: Int32Array,
  both?: { readonly pairs: Map<number, number>; readonly width: number },
): Int32Array {
  return keys.map((key, at) => {
    const code = codes[at] as number;
    if (key < 0 || code < 0) return -1;
    if (both === undefined) return code;
    const pair = key * both.width + code;
    const known = both.pairs.get(pair);
    if (known !== undefined) return known;
    both.pairs.set(pair, both.pairs.size);
    return both.pairs.size - 1;
  });
}
