import type { Finding } from '../../diagnostics/index.js';
import type { TomlPath } from '../../toml/index.js';
import type { Bound, Draft } from '../draft.js';
import type { ObjectiveRule } from '../rule.js';
import { compareBounds, showBound } from './bounds.js';
import { example } from './example.js';

const withRange = (range: string): string =>
  example(
    `[[mutator]]\nname = "wind"\n\n[[mutator.param_constraints]]\nname = "speed"\nrange = ${range}`,
  );

export const invalidRange: ObjectiveRule = {
  meta: {
    id: 'objective/invalid-range',
    severity: 'error',
    summary: 'a `range` that is not a lower and an upper bound of one kind',
    why: 'No value lies in it, or it is not defined which do.',
    action: 'Write `[lower, upper]`: two numbers or two strings, the lower one first.',
    examples: { fails: withRange('[25.0, 0.0]'), passes: withRange('[0.0, 25.0]') },
  },
  *check(draft) {
    for (const { path, keys } of draft.constraints) {
      if (keys.range !== undefined) yield* checkRange(draft, [...path, 'range'], keys.range);
    }
  },
};

function* checkRange(
  { document }: Draft,
  path: TomlPath,
  range: readonly (Bound | undefined)[],
): Generator<Finding> {
  if (range.length !== 2) {
    yield {
      message: `a range has two bounds, found ${range.length}`,
      help: 'write [lower, upper]',
      span: document.valueSpan(path),
    };
    return;
  }
  const notANumber = range.flatMap((bound, index) => (Number.isNaN(bound) ? [index] : []));
  for (const index of notANumber) {
    yield {
      message: 'a bound of a range is a number, found nan',
      span: document.valueSpan([...path, index]),
    };
  }
  const [lower, upper] = range;
  if (notANumber.length > 0 || lower === undefined || upper === undefined) return;
  const order = compareBounds(lower, upper);
  if (order === undefined) {
    yield {
      message: `the bounds of a range are two numbers or two strings, found ${showBound(lower)} and ${showBound(upper)}`,
      span: document.valueSpan(path),
    };
  } else if (order > 0) {
    yield {
      message: `the lower bound ${showBound(lower)} is above the upper bound ${showBound(upper)}`,
      help: `write [${showBound(upper)}, ${showBound(lower)}]`,
      span: document.valueSpan(path),
    };
  }
}
