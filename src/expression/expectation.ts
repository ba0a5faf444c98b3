import { is, type Stop } from './stop.js';
import * as t from './tokens.js';

interface Expectation {
  readonly what: string;
  readonly help?: string;
}

const PATTERN = 'write (condition) AS label';
const ORDER = 'write an order such as a -> b';
const COMPARISON = "write a comparison such as severity > 3, or an event such as 'start' @ 'probe'";

/** What each rule expects where it stops, in words. */
const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  'pattern Open': { what: '"("', help: PATTERN },
  'pattern As': { what: '"AS" and a label', help: PATTERN },
  pattern: { what: 'a pattern', help: PATTERN },
  label: { what: 'a label' },
  attribute: { what: 'the name of an attribute' },
  probe: { what: 'the name of a probe' },
  chains: { what: 'a label', help: ORDER },
  causal: { what: 'a label', help: ORDER },
  chain: { what: '"->" and a label', help: ORDER },
  condition: { what: 'a condition', help: COMPARISON },
  conjunction: { what: 'a condition', help: COMPARISON },
  primary: { what: 'a condition', help: COMPARISON },
  operand: { what: 'an attribute or a value' },
  comparator: { what: 'a comparator', help: 'write one of = != < <= > >=' },
  term: {
    what: 'a function or a value',
    help: 'write a measure such as count() > 0 or max(label.attribute) < 10',
  },
  'call Open': { what: '"("', help: 'write a function with parentheses, such as count()' },
};

const AFTER: Readonly<Record<Stop['clause'], Expectation>> = {
  match: { what: '"," or a clause' },
  when: { what: '"->", AND or a clause' },
  filter: { what: 'AND, OR or a clause' },
  aggregate: { what: '"," or a clause' },
};

/** What would have been right where reading stopped. */
export function expectation(stop: Stop): Expectation {
  const { clause, rules, expected, complete, previous } = stop;
  // An arrow can't follow the parenthesis of a chain.
  if (complete && clause === 'when' && is(previous, t.Close)) return { what: 'AND or a clause' };
  if (complete) return AFTER[clause];
  const innermost = rules.at(-1) ?? '';
  const outer = rules.at(-2) ?? '';
  if (expected === 'Close') return { what: innermost === 'call' ? '")"' : 'AND, OR or ")"' };
  const rule = innermost === 'place' ? 'probe' : innermost === 'name' ? outer : innermost;
  return EXPECTATIONS[`${rule} ${expected}`] ?? EXPECTATIONS[rule] ?? { what: 'something else' };
}
