import { listOf, nearest, quote, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import type { Name } from '../tree/ast.js';
import { FUNCTIONS } from '../tree/functions.js';

/** A function that the language does not have. */
export const unknownFunction: ExpressionRule = {
  meta: {
    id: 'expression/unknown-function',
    severity: 'error',
    summary: 'AGGREGATE calls a function that does not exist',
    why: 'The measure cannot be computed.',
    action: 'Use one of `count`, `max`, `min`, `mean`, `sum` and `stddev`.',
    examples: {
      fails: "MATCH (name = 'fault') AS f AGGREGATE maximum(f.severity) > 3",
      passes: "MATCH (name = 'fault') AS f AGGREGATE max(f.severity) > 3",
    },
  },
  check({ context }, report) {
    for (const { name } of context.calls) if (!FUNCTIONS.has(name.text)) report(explain(name));
  },
};

function explain({ text, span }: Name): Violation {
  const functions = [...FUNCTIONS.keys()];
  if (UNSAYABLE.has(text.toLowerCase())) {
    const message = `there is no function ${quote(text)}`;
    return { message, help: `expected one of ${listOf(functions)}`, span };
  }
  const near = ALIASES.get(text.toLowerCase()) ?? nearest(text, functions);
  const help =
    near === undefined ? `expected one of ${listOf(functions)}` : `did you mean ${quote(near)}?`;
  return { message: `unknown function ${quote(text)}`, help, span };
}

/** What other languages call them, too far from our names for a spelling check. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['avg', 'mean'],
  ['average', 'mean'],
  ['maximum', 'max'],
  ['minimum', 'min'],
  ['total', 'sum'],
  ['std', 'stddev'],
]);

/** What no function computes, though the name of one may be near. */
const UNSAYABLE: ReadonlySet<string> = new Set([
  ...['median', 'percentile', 'quantile', 'mode', 'variance', 'var', 'first', 'last'],
]);
