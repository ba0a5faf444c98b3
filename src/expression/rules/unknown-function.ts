import { listOf, nearest, quote, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import { FUNCTIONS } from '../functions/index.js';
import type { Name } from '../tree/ast.js';

const NAMES = [...FUNCTIONS.keys()];

/** A function that the language does not have. */
export const unknownFunction: ExpressionRule = {
  meta: {
    id: 'expression/unknown-function',
    severity: 'error',
    summary: 'AGGREGATE calls a function that does not exist',
    why: 'The measure cannot be computed.',
    action: `Use one of ${NAMES.slice(0, -1).map(code).join(', ')} and ${code(NAMES.at(-1) ?? '')}.`,
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
  if (UNSAYABLE.has(text.toLowerCase())) {
    const message = `there is no function ${quote(text)}`;
    return { message, help: `expected one of ${listOf(NAMES)}`, span };
  }
  const near = ALIASES.get(text.toLowerCase()) ?? nearest(text, NAMES);
  const help =
    near === undefined ? `expected one of ${listOf(NAMES)}` : `did you mean ${quote(near)}?`;
  return { message: `unknown function ${quote(text)}`, help, span };
}

const ALIASES: ReadonlyMap<string, string> = new Map(
  [...FUNCTIONS.values()].flatMap(({ name, aliases }) => aliases.map((alias) => [alias, name])),
);

/** What no function computes, though the name of one may be near. */
const UNSAYABLE: ReadonlySet<string> = new Set([
  ...['median', 'percentile', 'quantile', 'mode', 'variance', 'var', 'first', 'last'],
]);

function code(name: string): string {
  return `\`${name}\``;
}
