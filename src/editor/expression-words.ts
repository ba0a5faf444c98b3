import { FUNCTIONS } from '../expression/index.js';

/** What the clauses of an expression are for, by their keyword, in Markdown. */
export const CLAUSES: Readonly<Record<string, string>> = {
  MATCH: 'The patterns of events, each with a label: `(condition) AS label`.',
  AS: 'Names the event that a pattern matches.',
  WHEN: 'Keeps the bindings whose events happened in this order: `a -> b`.',
  FILTER: 'Keeps the bindings whose attributes satisfy a condition: `a.id = b.id`.',
  AGGREGATE: 'Compares what is computed over all bindings that are left: `count() > 0`.',
};

/** What a function of AGGREGATE computes, in Markdown. */
export function describeFunction(name: string): string | undefined {
  const known = FUNCTIONS.get(name);
  if (known === undefined) return undefined;
  const argument = known.argument === 'none' ? '' : 'label.attribute';
  return `\`${name}(${argument})\`: ${known.meaning}.`;
}
