import { duplicatesIn, quote, type ReportFn } from '../../diagnostics/index.js';
import { type Expression, print, requiredNames } from '../../expression/index.js';
import { findMutators } from '../../mutators/model/index.js';
import type { TomlPath } from '../../toml/index.js';
import {
  constraintsOf,
  type MutatorTable,
  type ObjectiveDraft,
  type ObjectiveRule,
  withoutGaps,
} from '../draft.js';
import { MEASUREMENT, objectiveExample, STOP } from './example.js';

interface Named {
  readonly path: TomlPath;
  readonly keys: { readonly name?: string };
}

/**
 * Reports each table with the same key as an earlier table. The finding is at the table's `name`.
 *
 * @param noun a table's noun for the message
 * @param keyOf returns the unique key, by default the name; a table without a key is not a duplicate
 */
function findDuplicates<T extends Named>(
  { document }: ObjectiveDraft,
  tables: readonly T[],
  noun: string,
  report: ReportFn,
  keyOf: (table: T) => string | undefined = ({ keys }) => keys.name,
): void {
  for (const [table, earlier] of duplicatesIn(tables, keyOf)) {
    report({
      message: `duplicate ${noun} ${quote(table.keys.name ?? '')}`,
      span: document.valueSpan([...table.path, 'name']),
      related: [
        { message: 'the first occurrence', span: document.valueSpan([...earlier.path, 'name']) },
      ],
    });
  }
}

const OTHER_MEASUREMENT = MEASUREMENT.replace('CRASH', 'FIRE');

export const duplicateMeasurement: ObjectiveRule = {
  id: 'objective/duplicate-measurement',
  severity: 'error',
  summary: 'two measurements with the same name or near-identical names',
  why: 'Perturb identifies results by measurement name.',
  action: 'Give each measurement a unique name.',
  examples: {
    fails: objectiveExample(`${MEASUREMENT}\n${OTHER_MEASUREMENT}`, STOP),
    passes: objectiveExample(
      `${MEASUREMENT}\n${OTHER_MEASUREMENT.replace('Stays in the air', 'No fire')}`,
      STOP,
    ),
  },
  check(draft, report) {
    findDuplicates(draft, draft.measurements, 'measurement', report);
    findNear(draft, report);
  },
};

/** Reports near-identical names, which differ only in case or white space. */
function findNear({ document, measurements }: ObjectiveDraft, report: ReportFn): void {
  const repeats = duplicatesIn(measurements, ({ keys }) =>
    keys.name?.trim().replaceAll(/\s+/g, ' ').toLowerCase(),
  );
  for (const [measurement, earlier] of repeats) {
    const [name = '', other = ''] = [measurement.keys.name, earlier.keys.name];
    if (name === other) continue;
    const span = document.valueSpan([...earlier.path, 'name']);
    report({
      severity: 'warning',
      message: `${quote(name)} differs from ${quote(other)} only in case or white space`,
      help: 'rename one of the two measurements',
      span: document.valueSpan([...measurement.path, 'name']),
      related: [{ message: 'the other measurement', span }],
    });
  }
}

export const duplicateMutator: ObjectiveRule = {
  id: 'objective/duplicate-mutator',
  severity: 'error',
  summary: 'two `mutator` tables with the same name, unless each has a different `probe`',
  why: 'A table without `probe` applies to all mutators with its name. If both tables apply to a mutator, their precedence is undefined.',
  action: 'Merge the two tables, or distinguish them with `probe`.',
  examples: {
    fails: objectiveExample('[[mutator]]\nname = "wind"\n\n[[mutator]]\nname = "wind"'),
    passes: objectiveExample(
      '[[mutator]]\nname = "wind"\nprobe = "GAZEBO"\n\n[[mutator]]\nname = "wind"\nprobe = "TUNNEL"',
    ),
  },
  check(draft, report) {
    findDuplicates(draft, draft.mutators, 'mutator', report, ({ keys: { name, probe } }) =>
      name === undefined ? undefined : JSON.stringify([name, probe]),
    );
    findOverlaps(draft, report);
  },
};

/**
 * Reports a table without a probe if another table has the same name and a probe. Allows two non-empty tables without a
 * common constraint. Also allows an empty table without a probe if it applies to other mutators too.
 */
function findOverlaps({ document, mutators, catalog }: ObjectiveDraft, report: ReportFn): void {
  for (const { path, keys } of mutators) {
    const { name, probe } = keys;
    if (name === undefined || probe === undefined) continue;
    const generalTable = mutators.find(
      (table) => table.keys.name === name && table.keys.probe === undefined,
    );
    if (generalTable === undefined) continue;
    const matchingMutators = catalog && findMutators(catalog, name);
    // A separate finding reports a nonexistent probe.
    if (
      matchingMutators !== undefined &&
      !matchingMutators.some((mutator) => mutator.probe === probe)
    )
      continue;
    // A mutator without a probe needs a table without a probe.
    if (matchingMutators?.some((mutator) => mutator.probe === undefined)) continue;
    const isForOthers = matchingMutators?.some((mutator) => mutator.probe !== probe) ?? false;
    const [generalSettings, specialSettings] = [settingsOf(generalTable.keys), settingsOf(keys)];
    const isEmpty = specialSettings.length === 0 || (generalSettings.length === 0 && !isForOthers);
    if (!isEmpty && !generalSettings.some((setting) => specialSettings.includes(setting))) continue;
    report({
      severity: 'warning',
      message: `${quote(name)} without "probe" also applies to the mutator at ${quote(probe)}`,
      help: 'add a "probe" to this table, or merge the two tables',
      span: document.valueSpan([...generalTable.path, 'name']),
      related: [{ message: 'the table with "probe"', span: document.valueSpan([...path, 'name']) }],
    });
    return;
  }
}

/** Returns a table's settings: its constrained parameters and its precondition. */
function settingsOf(keys: MutatorTable['keys']): readonly string[] {
  const names = withoutGaps(keys.param_constraints).map((constraint) => constraint.keys.name ?? '');
  return keys.mutation_precondition === undefined ? names : [...names, '\0precondition'];
}

const constraint = (name: string, range: string): string =>
  `[[mutator.param_constraints]]\nname = "${name}"\nrange = ${range}`;

export const duplicateParamConstraint: ObjectiveRule = {
  id: 'objective/duplicate-param-constraint',
  severity: 'error',
  summary: 'two constraints on one parameter of a mutator',
  why: 'It is undefined which of the two ranges applies.',
  action: 'Keep one constraint for each parameter.',
  examples: {
    fails: objectiveExample(
      `[[mutator]]\nname = "wind"\n\n${constraint('speed', '[0, 5]')}\n\n${constraint('speed', '[0, 9]')}`,
    ),
    passes: objectiveExample(
      `[[mutator]]\nname = "wind"\n\n${constraint('speed', '[0, 5]')}\n\n${constraint('angle', '[0, 9]')}`,
    ),
  },
  check(draft, report) {
    for (const mutator of draft.mutators) {
      findDuplicates(draft, constraintsOf(mutator), 'constraint on parameter', report);
    }
  },
};

export const contradictingMeasurement: ObjectiveRule = {
  id: 'objective/contradicting-measurement',
  severity: 'warning',
  summary:
    'a measurement that contradicts its name, contradicts another measurement, or duplicates another measurement',
  why: 'By default, a check passes if its events are found. A measurement "No crash" that matches crash events therefore passes if there is a crash. One of two opposite measurements always fails.',
  action: 'To rule out an event, add `AGGREGATE count() = 0` or `should_pass = false`.',
  examples: {
    fails: objectiveExample(
      `[[measurement]]\nname = "No crash"\ncheck = "MATCH (name = 'CRASH') AS crash"`,
      STOP,
    ),
    passes: objectiveExample(MEASUREMENT.replace('Stays in the air', 'No crash'), STOP),
  },
  check(draft, report) {
    const checks = measurementChecks(draft);
    const nameSpan = ({ path }: MeasurementCheck) => draft.document.valueSpan([...path, 'name']);
    for (const check of checks) {
      const word = excludedEvent(check);
      if (word === undefined) continue;
      report({
        message: `${quote(check.name)} passes if there is a ${quote(word)}`,
        help:
          check.shouldPass && check.expression.aggregate === undefined
            ? 'add AGGREGATE count() = 0 to the check, or should_pass = false'
            : 'use count() = 0 with should_pass = true',
        span: nameSpan(check),
      });
    }
    const duplicateExpressions = new Set(
      [...duplicatesIn(checks, eventsOf)].map(([check]) => eventsOf(check)),
    );
    // Formats only checks about the same events, because formatting all checks would take too long.
    const alike = checks.filter((check) => duplicateExpressions.has(eventsOf(check)));
    for (const [check, earlier] of duplicatesIn(alike, keyOf)) {
      // A separate finding reports two checks with the same name.
      if (check.name === earlier.name) continue;
      const isSame = passesIfMatched(check) === passesIfMatched(earlier);
      report({
        message: isSame
          ? `${quote(check.name)} checks the same as ${quote(earlier.name)}`
          : `${quote(check.name)} checks the opposite of ${quote(earlier.name)}, so one of the two always fails`,
        help: isSame
          ? 'delete one of the two, or correct its check'
          : 'correct one of the two checks',
        span: nameSpan(check),
        related: [{ message: 'the other measurement', span: nameSpan(earlier) }],
      });
    }
  },
};

interface MeasurementCheck {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly shouldPass: boolean;
  readonly expression: Expression;
  /** True if the check requires a binding, false if the check forbids bindings, undefined for any other check. */
  readonly exists: boolean | undefined;
}

function measurementChecks({ measurements, expressions }: ObjectiveDraft): MeasurementCheck[] {
  return measurements.flatMap(({ path, keys }) => {
    const expression = keys.check && expressions.get(keys.check)?.expression;
    if (expression === undefined || keys.name === undefined) return [];
    const { name, should_pass: shouldPass = true } = keys;
    return [{ path, name, shouldPass, expression, exists: existence(expression) }];
  });
}

/**
 * Returns true if an expression requires a binding, false if the expression forbids bindings, and undefined for any
 * other expression.
 */
function existence({ match, aggregate }: Expression): boolean | undefined {
  if (match.patterns.every(({ absent }) => absent)) return undefined;
  if (aggregate === undefined) return true;
  const [measure, ...moreMeasures] = aggregate.measures;
  if (measure?.kind !== 'measure' || moreMeasures.length > 0 || aggregate.by !== undefined)
    return undefined;
  const { left, comparator, right } = measure;
  if (left.kind !== 'call' || left.name.text !== 'count' || right.kind !== 'integer')
    return undefined;
  const bound = `${comparator} ${right.value}`;
  if (bound === '> 0' || bound === '>= 1') return true;
  return bound === '= 0' || bound === '< 1' || bound === '<= 0' ? false : undefined;
}

/** True for a measurement that passes if its pattern matches. */
function passesIfMatched({ exists, shouldPass }: MeasurementCheck): boolean {
  return (exists ?? true) === shouldPass;
}

/** Returns the event names required by a check's patterns. */
function eventsOf({ expression }: MeasurementCheck): string {
  return expression.match.patterns.flatMap(({ condition }) => requiredNames(condition)).join('\n');
}

/** Returns a key shared by checks with the same or the opposite requirement. */
function keyOf({ expression, exists }: MeasurementCheck): string {
  const { aggregate, ...withoutAggregate } = expression;
  return exists === undefined
    ? print(expression)
    : `${print(withoutAggregate as Expression)} exists`;
}

const NEGATION = /\b(?:no|never|without|not|nothing)\b/gi;
/** Matches a word after which a negation requires the next word: "No missing heartbeat". */
const LACK = /^(?:absen|drop|fail|forg|ignor|lack|los|miss|refus|skip|stuck)/;

/** Returns the event that a measurement's name negates, if the measurement requires only that event. */
function excludedEvent(check: MeasurementCheck): string | undefined {
  const { name, exists, expression } = check;
  const [negation, ...moreNegations] = name.matchAll(NEGATION);
  if (
    exists === undefined ||
    !passesIfMatched(check) ||
    negation === undefined ||
    moreNegations.length > 0
  ) {
    return undefined;
  }
  const [pattern, ...morePatterns] = expression.match.patterns;
  if (pattern === undefined || morePatterns.length > 0 || expression.filter !== undefined) {
    return undefined;
  }
  const { condition } = pattern;
  if (condition.kind !== 'comparison' && condition.kind !== 'located') return undefined;
  const [clause = ''] = name.slice(negation.index + negation[0].length).split(/[,;:.]/);
  const clauseStart = (clause.toLowerCase().match(/[a-z]+/g) ?? []).slice(0, 3);
  const lack = clauseStart.findIndex((word) => LACK.test(word));
  return requiredNames(condition).find((event) => {
    const parts = event.toLowerCase().match(/[a-z]+/g) ?? [];
    const indexes = parts.map((part) =>
      clauseStart.findIndex((word) => (part.length < 3 ? word === part : word.startsWith(part))),
    );
    return (
      indexes.length > 0 &&
      indexes.every((at) => at >= 0 && (lack < 0 || at <= lack || indexes.includes(lack)))
    );
  });
}
