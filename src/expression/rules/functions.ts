import { listOf, nearest, quote, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import { FUNCTIONS } from '../functions/index.js';
import type { Call, Name } from '../tree/ast.js';
import { givenTo } from '../tree/walk.js';

const NAMES = [...FUNCTIONS.keys()];

/** A function that the language does not have. */
export const unknownFunction: ExpressionRule = {
  id: 'expression/unknown-function',
  severity: 'error',
  summary: 'AGGREGATE calls a function that does not exist',
  why: 'The measure cannot be computed.',
  action: `Use one of ${NAMES.slice(0, -1).map(code).join(', ')} and ${code(NAMES.at(-1) ?? '')}.`,
  examples: {
    fails: "MATCH (name = 'fault') AS f AGGREGATE maximum(f.severity) > 3",
    passes: "MATCH (name = 'fault') AS f AGGREGATE max(f.severity) > 3",
  },
  check({ context }, report) {
    for (const { name } of context.calls)
      if (!FUNCTIONS.has(name.text)) report(explainUnknownFunction(name));
  },
};

function explainUnknownFunction({ text, span }: Name): Violation {
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

/** A function with an argument that it does not take, or without the one it needs. */
export const wrongArguments: ExpressionRule = {
  id: 'expression/wrong-arguments',
  severity: 'error',
  summary: 'a function has an argument it does not take, or lacks the one it needs',
  why: 'The measure cannot be computed.',
  action: 'Write `count()` without an argument, every other function with one `label.attribute`.',
  examples: {
    fails: "MATCH (name = 'fault') AS f AGGREGATE count(f.severity) > 3",
    passes: "MATCH (name = 'fault') AS f AGGREGATE count() > 3",
  },
  check({ context }, report) {
    for (const call of context.calls) if (isWrong(call)) report(explainArguments(call));
  },
};

function isWrong(call: Call): boolean {
  const takes = FUNCTIONS.get(call.name.text)?.argument;
  return takes !== undefined && takes !== givenTo(call);
}

function explainArguments({ name, argument, span }: Call): Violation {
  if (FUNCTIONS.get(name.text)?.argument === 'none') {
    const help = 'write "count()"; to count only some events, say which in FILTER';
    return { message: `${called(name)} takes no argument`, help, span };
  }
  const what = argument === undefined ? 'needs an attribute' : 'takes an attribute, not a value';
  return { message: `${called(name)} ${what}`, help: `write ${name.text}(label.attribute)`, span };
}

function called({ text }: Name): string {
  return quote(`${text}()`);
}
