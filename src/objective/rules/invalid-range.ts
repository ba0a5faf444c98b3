import type { ReportFn } from '../../diagnostics/index.js';
import {
  constraintsOf,
  type Draft,
  type MutatorTable,
  type ParamConstraintTable,
} from '../draft.js';
import { hasCatalog, type ObjectiveRule } from '../rule.js';
import { compareBounds, showBound } from './bounds.js';
import { parametersNamed, takesNoRange } from './catalog/targets.js';
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
    for (const table of draft.mutators) {
      for (const constraint of constraintsOf(table)) {
        checkRange(draft, table, constraint, report);
      }
    }
  },
};

function checkRange(
  draft: Draft,
  table: MutatorTable,
  { path, keys: { name, range } }: ParamConstraintTable,
  report: ReportFn,
): void {
  if (range === undefined) return;
  const { document } = draft;
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
      ...(typeof lower === 'boolean' && {
        help: 'remove "range": a boolean parameter takes none',
      }),
      span: spanOf(),
    });
  } else if (order > 0 && !isUnranged(draft, table, name)) {
    report({
      message: `the lower bound ${showBound(lower)} is above the upper bound ${showBound(upper)}`,
      help: `write [${showBound(upper)}, ${showBound(lower)}]`,
      span: spanOf(),
    });
  }
}

/** Whether a range is not permitted at all for a parameter of the catalog, which is a mistake of its own. */
function isUnranged(draft: Draft, table: MutatorTable, name: string | undefined): boolean {
  if (!hasCatalog(draft) || name === undefined) return false;
  return parametersNamed(draft, table, name).some(({ parameter }) => takesNoRange(parameter));
}
