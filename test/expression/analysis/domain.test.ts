import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Domain, type StatedValue } from '../../../src/expression/analysis/domain.js';
import { compareValues } from '../../../src/expression/analysis/kinds.js';
import type { Nature } from '../../../src/expression/functions/index.js';
import { holds } from '../../../src/expression/tree/ast.js';
import { runs } from '../../long.js';

const comparator = fc.constantFrom('=', '!=', '<', '<=', '>', '>=');
const halves = Array.from({ length: 13 }, (_, index) => index / 2 - 2);
const numbers = fc
  .constantFrom(...halves)
  .map((value) => (Number.isInteger(value) ? BigInt(value) : value));

function statements(value: fc.Arbitrary<StatedValue['value']>, kind: StatedValue['kind']) {
  return fc.array(fc.record({ kind: fc.constant(kind), comparator, value }), { maxLength: 8 });
}

/** The statements that cannot all hold, as the domain tells them. */
function conflictIn(
  said: readonly StatedValue[],
  nature: Nature,
): readonly StatedValue[] | undefined {
  const domain = new Domain<StatedValue>(nature);
  for (const statement of said) {
    const conflict = domain.add(statement, statement);
    if (conflict !== undefined) return conflict;
  }
  return undefined;
}

function anySatisfies(
  said: readonly StatedValue[],
  values: readonly StatedValue['value'][],
): boolean {
  return values.some((value) =>
    said.every((stated) => holds(stated.comparator, compareValues(value, stated.value))),
  );
}

const quarters = Array.from({ length: 41 }, (_, index) => index / 4 - 4);
const counts = Array.from({ length: 30 }, (_, index) => BigInt(index));

describe.each([
  ['numbers', {}, statements(numbers, 'number'), quarters],
  [
    'numbers of at least 0',
    { least: 0n },
    statements(numbers, 'number'),
    quarters.filter((n) => n >= 0),
  ],
  ['counts', { least: 0n, integer: true }, statements(numbers, 'number'), counts],
  [
    'strings',
    {},
    statements(fc.constantFrom('', 'b', 'bb', 'c', '\uffff', '\u{1f600}'), 'string'),
    ['', 'a', 'b', 'ba', 'bb', 'bc', 'c', 'd', '\uffff', '\uffffa', '\u{1f600}', '\u{1f601}'],
  ],
] as const)('a domain of %s', (_, nature, said, values) => {
  it('is empty exactly when no value satisfies all statements, and tells which', () => {
    fc.assert(
      fc.property(said, (all) => {
        const conflict = conflictIn(all, nature);
        expect(conflict === undefined).toBe(anySatisfies(all, values));
        if (conflict !== undefined) expect(anySatisfies(conflict, values)).toBe(false);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('is the same after a fork', () => {
    fc.assert(
      fc.property(said, said, (before, after) => {
        const domain = new Domain<StatedValue>(nature);
        if (before.some((stated) => domain.add(stated, stated) !== undefined)) return;
        const fork = domain.fork();
        const conflict = after.some((stated) => fork.add(stated, stated) !== undefined);
        expect(conflict).toBe(!anySatisfies([...before, ...after], values));
      }),
    );
  });
});

const said = (text: string): StatedValue[] =>
  text.split(', ').map((one) => {
    const [comparator, value = ''] = one.split(' ');
    return {
      kind: /^'/.test(value) ? 'string' : 'number',
      comparator: comparator as StatedValue['comparator'],
      value: /^'/.test(value)
        ? value.slice(1, -1)
        : /[.]/.test(value)
          ? Number(value)
          : BigInt(value),
    };
  });

describe('which statements leave no value', () => {
  const INTEGER = { least: 0n, integer: true };
  it.each<[string, Nature, number[] | undefined]>([
    ['>= 1, > 1, <= 1', {}, [1, 2]],
    ['> 1, >= 1, <= 1', {}, [0, 2]],
    ['> 1, > 1, <= 1', {}, [0, 2]],
    ['<= 1, < 1, >= 1', {}, [1, 2]],
    ['< 1, <= 1, >= 1', {}, [0, 2]],
    ['< 1, < 1, >= 1', {}, [0, 2]],
    ['>= 1, <= 1, != 1', {}, [0, 1, 2]],
    ['>= 1, <= 1, != 1.0', {}, [0, 1, 2]],
    ['!= 1, != 1, = 1', {}, [2, 0]],
    ['> 0, < 1', {}, undefined],
    ['> 0, < 1', INTEGER, [0, 1]],
    ['> 0.5, < 1.0', INTEGER, [0, 1]],
    ['>= 0.5, <= 1.0', INTEGER, undefined],
    ['> 1.0, < 2.0', INTEGER, [0, 1]],
    ['!= 0, < 1', INTEGER, [0, 1]],
    ['< 3, != 2, > 0, != 1', INTEGER, [2, 3, 1, 0]],
    ['!= 2, != 1, != 0, < 3', INTEGER, [0, 1, 2, 3]],
    ['!= 2, != 1, <= 2, >= 1', INTEGER, [0, 1, 2, 3]],
    ['!= 5, < 7, > 4, != 6', INTEGER, [0, 1, 2, 3]],
    ['>= 1, >= 1, < 1', {}, [0, 2]],
    ['<= 1, <= 1, > 1', {}, [0, 2]],
    ['> 0.5, < 2', INTEGER, undefined],
    ['< 1.5, > 0', INTEGER, undefined],
    ['!= 0.5, <= 0.5, >= 0', INTEGER, undefined],
    ['!= 3, >= 3, >= 4, <= 3', INTEGER, [0, 1, 3]],
    ['!= 3, <= 3, <= 2, >= 3', INTEGER, [0, 1, 3]],
    ['!= 3, <= 2, >= 3', INTEGER, [1, 2]],
    ['!= 2, >= 3, <= 2', INTEGER, [1, 2]],
    ['< 0', { least: 0n }, [0]],
    ['<= 0', { least: 0n }, undefined],
    ["< ''", {}, [0]],
    ["<= ''", {}, undefined],
    ["<= '', != ''", {}, [0, 1]],
    ["> 'a', < 'a'", {}, [0, 1]],
    ["= 'a', = 1", {}, [0, 1]],
  ])('%s, %#', (text, nature, expected) => {
    const all = said(text);
    const conflict = conflictIn(all, nature)?.map((one) => all.indexOf(one));
    expect(conflict === undefined ? undefined : new Set(conflict)).toEqual(
      expected === undefined ? undefined : new Set(expected),
    );
  });
});

describe('a fork', () => {
  it('knows what was excluded before it, and leaves the first as it was', () => {
    const [no, at, same] = said('!= 2, <= 2, >= 2') as [StatedValue, StatedValue, StatedValue];
    const domain = new Domain<StatedValue>({});
    domain.add(no, no);
    const fork = domain.fork();
    expect(fork.add(at, at)).toBeUndefined();
    expect(fork.add(same, same)).toEqual([same, at, no]);
    expect(domain.add(same, same)).toBeUndefined();
  });

  it('holds integers when the first does', () => {
    const [least, above, below] = said('>= 0, > 0, < 1') as [StatedValue, StatedValue, StatedValue];
    const domain = new Domain<StatedValue>({ least: 0n, integer: true });
    domain.add(least, least);
    const fork = domain.fork();
    expect(fork.add(above, above)).toBeUndefined();
    expect(fork.add(below, below)).toEqual([above, below]);
  });
});

describe('a domain of booleans', () => {
  it('is empty when both values are excluded', () => {
    const no = (value: bigint): StatedValue => ({ kind: 'boolean', comparator: '!=', value });
    expect(conflictIn([no(1n)], {})).toBeUndefined();
    expect(conflictIn([no(1n), no(0n)], {})).toEqual([no(1n), no(0n)]);
  });
});
