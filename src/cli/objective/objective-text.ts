import { quote } from '../../diagnostics/index.js';
import { type Change, compareObjectives, readCanonical } from '../../objective/index.js';
import { visible } from '../../reporters/index.js';
import {
  type NamedCell,
  renderFacts,
  renderTable,
  type TableLook,
} from '../../reporters/terminal/index.js';
import type { Identity, Listed, LogEntry, Registration, Revision } from '../../store/index.js';
import { durationText, type Json, type JsonObject, writeJson } from '../../values/index.js';

/** A revision as the user may type it, in quotes. */
export function referenceText(name: string, revision: number): string {
  return quote(`${name}@${revision}`);
}

export function objectiveTable(objectives: readonly Listed[], look: TableLook): string {
  if (objectives.length === 0) return 'no objectives\n';
  const rows = objectives.map((one) => [
    one.name,
    String(one.revision),
    String(one.measurements),
    String(one.mutators),
    stopText(readCanonical(one.stop)),
    timeText(one.createdAt),
    ...(one.deletedAt ? [timeText(one.deletedAt)] : []),
  ]);
  const titles = ['NAME', 'REVISION', 'MEASUREMENTS', 'MUTATORS', 'STOP', 'CREATED'];
  if (objectives[0]?.deletedAt !== undefined) titles.push('DELETED');
  return renderTable(titles, rows, look);
}

export function logTable(revisions: readonly LogEntry[], look: TableLook): string {
  const rows = revisions.map(({ revision, createdAt, stop, origin }) => [
    String(revision),
    timeText(createdAt),
    stopText(readCanonical(stop)),
    origin.path ?? '',
    origin.commit?.slice(0, 12) ?? '',
  ]);
  return renderTable(['REVISION', 'CREATED', 'STOP', 'FILE', 'COMMIT'], rows, look);
}

export function objectivePage(revision: Revision, look: TableLook): string {
  const { origin, deletedAt } = revision;
  const content = readCanonical(revision.canonical);
  const constraints = tableAt(content, 'mutation_constraints');
  const facts: readonly NamedCell[] = [
    ['name', revision.name],
    ['revision', `${revision.revision} of ${revision.revisions}`],
    ['created', timeText(revision.createdAt)],
    ['deleted', deletedAt && timeText(deletedAt)],
    ['id', revision.id],
    ['sha256', revision.sha256],
    ['rules', origin.rules],
    ['file', origin.path],
    ['commit', origin.commit],
    ['mutations at once', valueAt(constraints, 'max_concurrent_mutations')],
    ['mutator tags', valueAt(constraints, 'mutator_tags')],
    ['precondition', valueAt(constraints, 'mutation_precondition')],
    ['stop', stopText(tableAt(content, 'stopping_conditions')) || 'never'],
  ];
  return [
    renderFacts(facts, look),
    mutatorTable(tablesAt(content, 'mutator'), look),
    measurementTable(tablesAt(content, 'measurement'), look),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function mutatorTable(mutators: readonly JsonObject[], look: TableLook): string {
  if (mutators.length === 0) return '';
  const rows = mutators.map((mutator) => [
    String(mutator['name']),
    valueAt(mutator, 'probe') ?? '',
    tablesAt(mutator, 'param_constraints').map((one) =>
      [`${one['name']}:`, valueAt(one, 'range'), valueAt(one, 'enum_options')]
        .filter((part) => part !== undefined)
        .join(' '),
    ),
    valueAt(mutator, 'mutation_precondition') ?? '',
  ]);
  return renderTable(['MUTATOR', 'PROBE', 'PARAMETERS', 'PRECONDITION'], rows, look);
}

function measurementTable(measurements: readonly JsonObject[], look: TableLook): string {
  const rows = measurements.map((measurement) => [
    String(measurement['name']),
    measurement['should_pass'] === true ? 'pass' : 'fail',
    String(measurement['check']),
    stopText(tableAt(measurement, 'stopping_conditions')),
  ]);
  return renderTable(['MEASUREMENT', 'SHOULD', 'CHECK', 'STOP'], rows, look);
}

const STOPS: Readonly<Record<string, string>> = {
  attempts: 'attempts',
  time_ms: '',
  passing_measurements: 'passing',
  failing_measurements: 'failing',
};

/** Stopping conditions on one line, as in `500 attempts or 2h 30min`; empty for none. */
function stopText(conditions: JsonObject): string {
  return Object.entries(STOPS)
    .flatMap(([key, noun]) => {
      const value = conditions[key];
      return value === undefined ? [] : [`${valueText(value, key)} ${noun}`.trimEnd()];
    })
    .join(' or ');
}

const SIGNS = { added: '+', removed: '-', changed: '~', reordered: '~' } as const;

/** A wider change has its two values on a line each. */
const WIDEST_CHANGE = 100;

/** Changes for people: one line for each, and two more for a wide one. */
export function changesText(changes: readonly Change[]): string {
  return changes
    .flatMap(changeLines)
    .map((line) => `  ${visible(line)}\n`)
    .join('');
}

function changeLines({ change, where, before, after }: Change): readonly string[] {
  const key = where.at(-1) ?? '';
  const place = `${SIGNS[change]} ${where.join(', ').replace(/_ms$/, '')}`;
  if (change === 'reordered') return [`${place} in a different order`];
  const values = [before, after].flatMap((one) => (one === undefined ? [] : [valueText(one, key)]));
  if (values.length === 0) return [place];
  const line = `${place}: ${values.join(' -> ')}`;
  if (values.length === 1 || line.length <= WIDEST_CHANGE) return [line];
  return [place, `    was ${values[0]}`, `    now ${values[1]}`];
}

/** A value as the objective's file could have it. */
function valueText(value: Json, key: string): string {
  if (typeof value === 'string') return key === 'name' ? quote(value) : value;
  if (key === 'time_ms') return durationText(Number(writeJson(value)));
  if (Array.isArray(value)) return `[${value.map((item) => itemText(item)).join(', ')}]`;
  return writeJson(value);
}

function itemText(item: Json): string {
  return typeof item === 'string' ? quote(item) : writeJson(item).replace('1e999', 'inf');
}

function valueAt(table: JsonObject, key: string): string | undefined {
  const value = table[key];
  return value === undefined ? undefined : valueText(value, key);
}

function tableAt(table: JsonObject, key: string): JsonObject {
  return (table[key] ?? {}) as JsonObject;
}

function tablesAt(table: JsonObject, key: string): readonly JsonObject[] {
  return (table[key] ?? []) as readonly JsonObject[];
}

function timeText(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '');
}

export function listedToJson(listed: Listed): object {
  return {
    ...identityToJson(listed),
    measurements: listed.measurements,
    mutators: listed.mutators,
    stopping_conditions: readCanonical(listed.stop),
    deleted_at: listed.deletedAt?.toISOString(),
  };
}

export function logEntryToJson(entry: LogEntry): object {
  return { ...listedToJson(entry), ...entry.origin };
}

/** A revision with all that is known of it; `content` is its canonical JSON. */
export function revisionToJson(revision: Revision): object {
  return {
    ...identityToJson(revision),
    revisions: revision.revisions,
    deleted_at: revision.deletedAt?.toISOString(),
    ...revision.origin,
    content: readCanonical(revision.canonical),
  };
}

function identityToJson({ name, revision, id, sha256, createdAt }: Identity): object {
  return { name, revision, id, sha256, created_at: createdAt.toISOString() };
}

/** What became of an objective; `after` is its canonical JSON. */
export function registrationToJson(registration: Registration, after: string): object {
  const { outcome, name, revision, id, sha256, previous } = registration;
  const changes = previous === undefined ? [] : compareObjectives(previous, after);
  return { outcome, name, revision, id, sha256, changes };
}
