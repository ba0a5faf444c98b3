import type { ReportFn } from '../../diagnostics/index.js';
import type { Draft, ParamConstraintTable } from '../draft.js';
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
  check(draft, report) {
    for (const constraint of draft.constraints) checkRange(draft, constraint, report);
  },
};

function checkRange(
  { document }: Draft,
  { path, keys: { range } }: ParamConstraintTable,
  report: ReportFn,
): void {
  if (range === undefined) return;
  const spanOf = (...at: number[]) => document.valueSpan([...path, 'range', ...at]);
  if (range.length !== 2) {
    const message = `a range has two bounds, found ${range.length}`;
    report({ message, help: 'write [lower, upper]', span: spanOf() });
    return;
  }
  range.forEach((bound, index) => {
    if (!Number.isNaN(bound)) return;
    report({ message: 'a bound of a range is a number, found nan', span: spanOf(index) });
  });
  const [lower, upper] = range;
  if (lower === undefined || upper === undefined || range.some(Number.isNaN)) return;
  const order = compareBounds(lower, upper);
  if (order === undefined) {
    report({
      message: `the bounds of a range are two numbers or two strings, found ${showBound(lower)} and ${showBound(upper)}`,
      span: spanOf(),
    });
  } else if (order > 0) {
    report({
      message: `the lower bound ${showBound(lower)} is above the upper bound ${showBound(upper)}`,
      help: `write [${showBound(upper)}, ${showBound(lower)}]`,
      span: spanOf(),
    });
  }
}
