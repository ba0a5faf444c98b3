import { quote, type Violation } from '../../diagnostics/index.js';
import type { ExpressionRule } from '../analysis/context.js';
import { FUNCTIONS } from '../functions/index.js';
import type { Call, Name } from '../tree/ast.js';
import { givenTo } from '../tree/walk.js';

/** A function with an argument that it does not take, or without the one it needs. */
export const wrongArguments: ExpressionRule = {
  meta: {
    id: 'expression/wrong-arguments',
    severity: 'error',
    summary: 'a function has an argument it does not take, or lacks the one it needs',
    why: 'The measure cannot be computed.',
    action: 'Write `count()` without an argument, every other function with one `label.attribute`.',
    examples: {
      fails: "MATCH (name = 'fault') AS f AGGREGATE count(f.severity) > 3",
      passes: "MATCH (name = 'fault') AS f AGGREGATE count() > 3",
    },
  },
  check({ context }, report) {
    for (const call of context.calls) if (isWrong(call)) report(explain(call));
  },
};

function isWrong(call: Call): boolean {
  const takes = FUNCTIONS.get(call.name.text)?.argument;
  return takes !== undefined && takes !== givenTo(call);
}

function explain({ name, argument, span }: Call): Violation {
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
