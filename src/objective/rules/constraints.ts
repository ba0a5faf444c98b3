import { duplicatesIn, quote, type ReportFn, writing } from '../../diagnostics/index.js';
import { intendedBounds } from '../../toml/index.js';
import {
  constrainsValues,
  constraintsOf,
  hasCatalog,
  type MutatorTable,
  type ObjectiveDraft,
  type ObjectiveRule,
  type ParamConstraintTable,
} from '../draft.js';
import { constraintExample } from './example.js';
import { orderOf, showBound } from './ranges.js';
import { acceptsNoRange, parametersNamed } from './targets.js';

export const invalidBounds: ObjectiveRule = {
  id: 'objective/invalid-range',
  severity: 'error',
  fixable: 'suggested',
  summary: '`range` is neither a lower and an upper bound nor two strings',
  why: 'An invalid range contains no value, or its values are undefined.',
  action: 'Write `[lower, upper]` for numbers, or two strings to choose from, in any order.',
  examples: {
    fails: constraintExample('wind', 'name = "speed"\nrange = [25.0, 0.0]'),
    passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 25.0]'),
  },
  check(draft, report) {
    for (const table of draft.mutators) {
      for (const constraint of constraintsOf(table)) checkRange(draft, table, constraint, report);
    }
  },
};

function checkRange(
  draft: ObjectiveDraft,
  table: MutatorTable,
  { path, keys: { name, range } }: ParamConstraintTable,
  report: ReportFn,
): void {
  if (range === undefined) return;
  const { document } = draft;
  const spanOf = (...at: number[]) => document.valueSpan([...path, 'range', ...at]);
  if (range.length !== 2) {
    const message = `expected two bounds, found ${range.length}`;
    const intended = intendedBounds(String(range[0]));
    const advice =
      intended === undefined ? { help: 'use the form [lower, upper]' } : writing(intended);
    report({ message, ...advice, span: spanOf() });
    return;
  }
  range.forEach((bound, index) => {
    if (!Number.isNaN(bound)) return;
    report({ message: 'expected a number as a bound, found nan', span: spanOf(index) });
  });
  const [lower, upper] = range;
  if (lower === undefined || upper === undefined || range.some(Number.isNaN)) return;
  const order = orderOf(lower, upper);
  const [lowerText, upperText] = [showBound(lower), showBound(upper)];
  if (order === undefined) {
    report({
      message: `expected two numbers or two strings as bounds, found ${lowerText} and ${upperText}`,
      help:
        typeof lower === 'boolean'
          ? 'remove "range", because a boolean parameter accepts no range'
          : undefined,
      span: spanOf(),
    });
  } else if (order > 0 && !isUnranged(draft, table, name)) {
    report({
      message: `the lower bound ${lowerText} is above the upper bound ${upperText}`,
      ...writing(`[${upperText}, ${lowerText}]`),
      span: spanOf(),
    });
  }
}

/** True if the catalog's parameter accepts no range. A separate finding reports such a range. */
function isUnranged(draft: ObjectiveDraft, table: MutatorTable, name: string | undefined): boolean {
  if (!hasCatalog(draft) || name === undefined) return false;
  return parametersNamed(draft, table, name).some(({ parameter }) => acceptsNoRange(parameter));
}

export const rangeAndOptions: ObjectiveRule = {
  id: 'objective/range-and-options',
  severity: 'error',
  summary: '`range` and `enum_options` together',
  why: 'No parameter accepts both a range and options.',
  action: 'Keep `enum_options` for an enum parameter, or `range` for any other parameter.',
  examples: {
    fails: constraintExample(
      'wind',
      'name = "mode"\nrange = ["gust", "steady"]\nenum_options = ["gust", "steady"]',
    ),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust", "steady"]'),
  },
  check({ document, constraints }, report) {
    for (const { path, keys } of constraints) {
      if (keys.range === undefined || keys.enum_options === undefined) continue;
      const range = document.keySpan([...path, 'range']);
      const options = document.keySpan([...path, 'enum_options']);
      const [earlierKey, laterKey] =
        range.start < options.start ? [range, options] : [options, range];
      report({
        message: 'a constraint has either "range" or "enum_options", found both',
        help: 'keep "enum_options" for an enum parameter, or "range" for any other parameter',
        span: laterKey,
        related: [{ message: 'the other key', span: earlierKey }],
      });
    }
  },
};

export const emptyOptions: ObjectiveRule = {
  id: 'objective/empty-options',
  severity: 'error',
  summary: '`enum_options` is empty, or has a duplicate option',
  why: 'An empty list allows no value, and a duplicate option is probably a typo for another option.',
  action: 'List each allowed value once.',
  examples: {
    fails: constraintExample('wind', 'name = "mode"\nenum_options = []'),
    passes: constraintExample('wind', 'name = "mode"\nenum_options = ["gust"]'),
  },
  check({ document, constraints }, report) {
    for (const { path, keys } of constraints) {
      if (keys.enum_options === undefined) continue;
      const options = [...path, 'enum_options'];
      if (keys.enum_options.length === 0) {
        const message = '"enum_options" is empty, so no value is allowed';
        report({ message, span: document.valueSpan(options) });
      }
      const writtenOptions = keys.enum_options.entries();
      for (const [[index, option = ''], [earlier]] of duplicatesIn(
        writtenOptions,
        ([, name]) => name,
      )) {
        report({
          message: `duplicate option ${quote(option)}`,
          help: 'remove or correct the duplicate option',
          span: document.valueSpan([...options, index]),
          related: [
            { message: 'the first occurrence', span: document.valueSpan([...options, earlier]) },
          ],
        });
      }
    }
  },
};

export const emptyConstraint: ObjectiveRule = {
  id: 'objective/empty-constraint',
  severity: 'warning',
  summary: 'a constraint with neither `range` nor `enum_options`',
  why: "The constraint has no effect. Only a boolean parameter's constraint may omit both `range` and `enum_options`.",
  action: 'Add a `range`, or `enum_options` for an enum parameter, or remove the constraint.',
  examples: {
    fails: constraintExample('wind', 'name = "speed"\n'),
    passes: constraintExample('wind', 'name = "speed"\nrange = [0.0, 25.0]'),
  },
  check(draft, report) {
    // With a catalog, catalog rules check this, because a parameter may need neither a range nor options.
    if (draft.catalog !== undefined) return;
    const { document, constraints } = draft;
    for (const constraint of constraints) {
      const { path, keys } = constraint;
      if (keys.name === undefined || constrainsValues(document, constraint)) continue;
      report({
        message: `the constraint on parameter ${quote(keys.name)} has neither "range" nor "enum_options"`,
        help: "only a boolean parameter's constraint may omit both",
        span: document.valueSpan([...path, 'name']),
      });
    }
  },
};
