import { type Measurement, type Objective, readCanonical } from '../../objective/index.js';
import {
  type NamedCell,
  renderFacts,
  renderTable,
  type TableStyle,
} from '../../reporters/terminal/index.js';
import { metadataLines } from '../../results/index.js';
import type { ListedObjective, LogEntry, Revision } from '../../store/index.js';
import { isJsonObject, type JsonObject } from '../../values/index.js';
import { valueText } from './objective-values.js';

export function objectiveTable(objectives: readonly ListedObjective[], look: TableStyle): string {
  if (objectives.length === 0) return 'no objectives\n';
  const rows = objectives.map((one) => [
    one.name,
    String(one.revision),
    String(one.measurements),
    String(one.mutators),
    stopText(readCanonical(one.stop)),
    timeText(one.createdAt),
    one.deletedAt ? timeText(one.deletedAt) : '',
  ]);
  const titles = ['NAME', 'REVISION', 'MEASUREMENTS', 'MUTATORS', 'STOP', 'CREATED', 'DELETED?'];
  return renderTable(titles, rows, look);
}

export function logTable(revisions: readonly LogEntry[], look: TableStyle): string {
  const rows = revisions.map(({ revision, createdAt, stop, origin }) => [
    String(revision),
    timeText(createdAt),
    stopText(readCanonical(stop)),
    origin.path ?? '',
    origin.commit?.slice(0, 12) ?? '',
  ]);
  return renderTable(['REVISION', 'CREATED', 'STOP', 'FILE', 'COMMIT'], rows, look);
}

/**
 * Formats an objective's page.
 *
 * @param design the objective parsed from the registered file, for its metadata
 */
export function objectivePage(
  revision: Revision,
  design: Objective | undefined,
  look: TableStyle,
): string {
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
    ['metadata', metadataLines(design?.metadata).join('; ') || undefined],
  ];
  return [
    renderFacts(facts, look),
    mutatorTable(tablesAt(content, 'mutator'), look),
    measurementTable(tablesAt(content, 'measurement'), design?.measurements ?? [], look),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function mutatorTable(mutators: readonly JsonObject[], look: TableStyle): string {
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

function measurementTable(
  measurements: readonly JsonObject[],
  designs: readonly Measurement[],
  look: TableStyle,
): string {
  const rows = measurements.map((measurement, index) => [
    String(measurement['name']),
    measurement['should_pass'] === true ? 'pass' : 'fail',
    String(measurement['check']),
    stopText(tableAt(measurement, 'stopping_conditions')),
    metadataLines(designs[index]?.metadata),
  ]);
  return renderTable(['MEASUREMENT', 'SHOULD', 'CHECK', 'STOP', 'METADATA?'], rows, look);
}

const STOPS: Readonly<Record<string, string>> = {
  attempts: 'attempts',
  time_ms: '',
  passing_measurements: 'passing',
  failing_measurements: 'failing',
};

/**
 * Formats stopping conditions on one line, as in `500 attempts or 2h 30min`. Returns an empty text
 * for no conditions.
 */
function stopText(conditions: JsonObject): string {
  return Object.entries(STOPS)
    .flatMap(([key, noun]) => {
      const value = conditions[key];
      return value === undefined ? [] : [`${valueText(value, key)} ${noun}`.trimEnd()];
    })
    .join(' or ');
}

function valueAt(table: JsonObject, key: string): string | undefined {
  const value = table[key];
  return value === undefined ? undefined : valueText(value, key);
}

function tableAt(table: JsonObject, key: string): JsonObject {
  const value = table[key] ?? {};
  return isJsonObject(value) ? value : {};
}

function tablesAt(table: JsonObject, key: string): readonly JsonObject[] {
  const value = table[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function timeText(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '');
}
