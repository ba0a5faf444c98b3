import { FUNCTIONS } from '../functions/index.js';
import type { Call, Measure } from '../tree/ast.js';
import { type Claims, type Fact, subjectOfFunction } from './claims.js';
import { factsOf } from './contradictions.js';

/** The functions that are at most the others after them, over the same values. */
const ASCENDING = ['min', 'mean', 'max'];

/**
 * What follows of other functions when a measure holds (spec: trace expressions,
 * "Meaning", 4): each but `count` has a value only where there are bindings, and
 * min is at most mean, which is at most max.
 */
export function impliedFacts(measure: Measure, claims: Claims): Fact[] {
  const calls = [measure.left, measure.right].filter((term) => term.kind === 'call');
  return calls.flatMap((call) => [
    ...impliedCount(call, measure),
    ...factsOf(measure, claims).flatMap((fact) => impliedOrder(call, fact)),
  ]);
}

function impliedCount({ name, argument }: Call, { span }: Measure): Fact[] {
  const known = FUNCTIONS.get(name.text);
  const nature = FUNCTIONS.get('count')?.nature;
  if (known === undefined || nature === undefined || argument === undefined) return [];
  const value = known.fewest;
  const fewer = value === 1n ? 'no' : 'fewer than two';
  const because = `${name.text} of ${fewer} bindings has no value`;
  return [{ subject: 'count', nature, kind: 'number', comparator: '>=', value, span, because }];
}

function impliedOrder({ name, argument }: Call, fact: Fact): Fact[] {
  const at = ASCENDING.indexOf(name.text);
  if (at < 0 || argument === undefined) return [];
  const because = 'min is at most mean, and mean is at most max';
  const of = (comparator: '<' | '<=' | '>' | '>=') => (other: string) => ({
    ...fact,
    subject: subjectOfFunction(other, argument),
    comparator,
    because,
  });
  const smaller = ASCENDING.slice(0, at);
  const larger = ASCENDING.slice(at + 1);
  switch (fact.comparator) {
    case '=':
      return [...smaller.map(of('<=')), ...larger.map(of('>='))];
    case '<':
    case '<=':
      return smaller.map(of(fact.comparator));
    case '>':
    case '>=':
      return larger.map(of(fact.comparator));
    case '!=':
      return [];
  }
}
