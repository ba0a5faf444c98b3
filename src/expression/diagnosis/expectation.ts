import { AS, Close, Open } from '../grammar/grammar.js';
import type { Failure, Part } from './failure.js';
import { is } from './tokens.js';

interface Expectation {
  readonly what: string;
  readonly help?: string;
}

const PATTERN = 'write (condition) AS label';
const ORDER = 'write an order such as a -> b';
const COMPARISON = "write a comparison such as severity > 3, or an event such as 'start' @ 'probe'";

const IN_FILTER: Expectation = {
  what: 'a condition',
  help: 'write a comparison such as label.severity > 3',
};

/** What each part expects where reading stopped, in words. */
const EXPECTATIONS: Readonly<Record<Exclude<Part, 'end'>, Expectation>> = {
  pattern: { what: 'a pattern', help: PATTERN },
  label: { what: 'a label' },
  causal: { what: 'a label', help: ORDER },
  chain: { what: '"->" and a label', help: ORDER },
  condition: { what: 'a condition', help: COMPARISON },
  operand: { what: 'an attribute or a value' },
  attribute: { what: 'the name of an attribute' },
  probe: { what: 'the name of a probe' },
  comparator: { what: 'a comparator', help: 'write one of = != < <= > >=' },
  term: {
    what: 'a function or a value',
    help: 'write a measure such as count() > 0 or max(label.attribute) < 10',
  },
  call: { what: '"("', help: 'write a function with parentheses, such as count()' },
};

const AFTER: Readonly<Record<Failure['clause'], Expectation>> = {
  match: { what: '"," or a clause' },
  when: { what: '"->", AND or a clause' },
  filter: { what: 'AND, OR or a clause' },
  aggregate: { what: '"," or a clause' },
};

/** What would have been right where reading stopped. */
export function expectation(failure: Failure): Expectation {
  const { clause, part, expected, complete, previous } = failure;
  // An arrow cannot follow the parenthesis of a chain.
  if (complete && clause === 'when' && is(previous, Close)) return { what: 'AND or a clause' };
  if (part === 'end') return AFTER[clause];
  if (expected === Close) {
    if (part === 'call') return { what: '")"' };
    return { what: clause === 'when' ? 'AND or ")"' : 'AND, OR or ")"' };
  }
  if (part === 'pattern' && expected === Open) return { what: '"("', help: PATTERN };
  if (expected === AS) return { what: '"AS" and a label', help: PATTERN };
  return part === 'condition' && clause === 'filter' ? IN_FILTER : EXPECTATIONS[part];
}
