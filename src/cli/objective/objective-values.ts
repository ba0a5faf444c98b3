import { visible } from '../../basics/index.js';
import { quote } from '../../diagnostics/index.js';
import {
  type Change,
  compareObjectives,
  type Objective,
  readCanonical,
} from '../../objective/index.js';
import type {
  Identity,
  ListedObjective,
  LogEntry,
  Registration,
  Revision,
} from '../../store/index.js';
import { durationText, type Json, writeJson } from '../../values/index.js';

/** Returns a revision in quotes, as accepted on the command line. */
export function referenceText(name: string, revision: number): string {
  return quote(`${name}@${revision}`);
}

const SIGNS = { added: '+', removed: '-', changed: '~', reordered: '~' } as const;

/** Maximum width of a change on one line. A wider change shows its two values on separate lines. */
const WIDEST_CHANGE = 100;

/** Formats changes as text. Each change has one line, or three if it is wide. */
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

/** Formats a value as in an objective's file. */
export function valueText(value: Json, key: string): string {
  if (typeof value === 'string') return key === 'name' ? quote(value) : value;
  if (key === 'time_ms') return durationText(Number(writeJson(value)));
  if (Array.isArray(value)) return `[${value.map((item) => itemText(item)).join(', ')}]`;
  return writeJson(value);
}

function itemText(item: Json): string {
  return typeof item === 'string' ? quote(item) : writeJson(item).replace('1e999', 'inf');
}

export function listedObjectiveToJson(listed: ListedObjective): object {
  return {
    ...identityToJson(listed),
    measurements: listed.measurements,
    mutators: listed.mutators,
    stopping_conditions: readCanonical(listed.stop),
    deleted_at: listed.deletedAt?.toISOString(),
  };
}

export function logEntryToJson(entry: LogEntry): object {
  return { ...listedObjectiveToJson(entry), ...entry.origin };
}

/**
 * Converts a revision with all known properties to JSON. `content` is the revision's canonical
 * JSON.
 *
 * @param design the objective parsed from the registered file, for its metadata
 */
export function revisionToJson(revision: Revision, design: Objective | undefined): object {
  const traced = design?.measurements.filter(({ metadata }) => metadata !== undefined) ?? [];
  return {
    ...identityToJson(revision),
    revisions: revision.revisions,
    deleted_at: revision.deletedAt?.toISOString(),
    ...revision.origin,
    metadata: design?.metadata,
    ...(traced.length > 0 && {
      measurements: traced.map(({ name, metadata }) => ({ name, metadata })),
    }),
    content: readCanonical(revision.canonical),
  };
}

function identityToJson({ name, revision, id, sha256, createdAt }: Identity): object {
  return { name, revision, id, sha256, created_at: createdAt.toISOString() };
}

/**
 * Converts the outcome for an objective to JSON.
 *
 * @param after the objective's canonical JSON
 */
export function registrationToJson(registration: Registration, after: string): object {
  const { outcome, name, revision, id, sha256, previous } = registration;
  const changes = previous === undefined ? [] : compareObjectives(previous, after);
  return { outcome, name, revision, id, sha256, changes };
}
