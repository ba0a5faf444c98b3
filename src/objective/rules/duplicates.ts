import { quote, type ReportFn } from '../../diagnostics/index.js';
import type { TomlPath } from '../../toml/index.js';
import { constraintsOf, type ObjectiveDraft, type ObjectiveRule } from '../draft.js';
import { MEASUREMENT, objectiveExample, STOP } from './example.js';

interface Named {
  readonly path: TomlPath;
  readonly keys: { readonly name?: string };
}

/**
 * Finds each table whose key an earlier one has: a finding at its `name`.
 *
 * @param noun what a table is, for the message
 * @param keyOf what must be unique; by default the name
 */
function findDuplicates<T extends Named>(
  { document }: ObjectiveDraft,
  tables: readonly T[],
  noun: string,
  report: ReportFn,
  keyOf: (table: T, name: string) => string = (_, name) => name,
): void {
  if (tables.length < 2) return;
  const first = new Map<string, T>();
  for (const table of tables) {
    const { name } = table.keys;
    if (name === undefined) continue;
    const key = keyOf(table, name);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, table);
      continue;
    }
    report({
      message: `duplicate ${noun} ${quote(name)}`,
      span: document.valueSpan([...table.path, 'name']),
      related: [{ message: 'the first one', span: document.valueSpan([...earlier.path, 'name']) }],
    });
  }
}

const OTHER = MEASUREMENT.replace('CRASH', 'FIRE');

export const duplicateMeasurement: ObjectiveRule = {
  id: 'objective/duplicate-measurement',
  severity: 'error',
  summary: 'two measurements with one name, or with names that hardly differ',
  why: 'Results are told apart by the name of the measurement.',
  action: 'Give each measurement a name of its own.',
  examples: {
    fails: objectiveExample(`${MEASUREMENT}\n${OTHER}`, STOP),
    passes: objectiveExample(
      `${MEASUREMENT}\n${OTHER.replace('Stays in the air', 'No fire')}`,
      STOP,
    ),
  },
  check(draft, report) {
    findDuplicates(draft, draft.measurements, 'measurement', report);
    findNear(draft, report);
  },
};

/** Names that differ only in their case or in white space: people take them for one. */
function findNear({ document, measurements }: ObjectiveDraft, report: ReportFn): void {
  const first = new Map<string, (typeof measurements)[number]>();
  for (const measurement of measurements) {
    const { name } = measurement.keys;
    if (name === undefined) continue;
    const key = name.trim().replaceAll(/\s+/g, ' ').toLowerCase();
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, measurement);
    else if (earlier.keys.name !== name) {
      const span = document.valueSpan([...earlier.path, 'name']);
      report({
        severity: 'warning',
        message: `${quote(name)} differs from ${quote(earlier.keys.name ?? '')} only in case or white space`,
        help: 'give one of the two another name',
        span: document.valueSpan([...measurement.path, 'name']),
        related: [{ message: 'the other one', span }],
      });
    }
  }
}

export const duplicateMutator: ObjectiveRule = {
  id: 'objective/duplicate-mutator',
  severity: 'error',
  summary: 'two `mutator` tables with the same name and probe',
  why: 'It is not defined which of the two constrains the mutator.',
  action: 'Merge the two tables, or tell them apart with `probe`.',
  examples: {
    fails: objectiveExample('[[mutator]]\nname = "wind"\n\n[[mutator]]\nname = "wind"'),
    passes: objectiveExample(
      '[[mutator]]\nname = "wind"\nprobe = "GAZEBO"\n\n[[mutator]]\nname = "wind"\nprobe = "TUNNEL"',
    ),
  },
  check(draft, report) {
    findDuplicates(draft, draft.mutators, 'mutator', report, ({ keys }) =>
      JSON.stringify([keys.name, keys.probe]),
    );
  },
};

const constraint = (name: string, range: string): string =>
  `[[mutator.param_constraints]]\nname = "${name}"\nrange = ${range}`;

export const duplicateParamConstraint: ObjectiveRule = {
  id: 'objective/duplicate-param-constraint',
  severity: 'error',
  summary: 'one parameter constrained twice in a mutator',
  why: 'It is not defined which of the two ranges the parameter is taken from.',
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
      findDuplicates(draft, constraintsOf(mutator), 'constraint of parameter', report);
    }
  },
};
