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

/** A revision as the user may type it, in quotes. */
export function referenceText(name: string, revision: number): string {
  return quote(`${name}@${revision}`);
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
export function valueText(value: Json, key: string): string {
  if (typeof value === 'string') return key === 'name' ? quote(value) : value;
  if (key === 'time_ms') return durationText(Number(writeJson(value)));
  if (Array.isArray(value)) return `[${value.map((item) => itemText(item)).join(', ')}]`;
  return writeJson(value);
}

function itemText(item: Json): string {
  return typeof item === 'string' ? quote(item) : writeJson(item).replace('1e999', 'inf');
}

export function listedToJson(listed: ListedObjective): object {
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

/**
 * A revision with all that is known of it; `content` is its canonical JSON.
 *
 * @param design the objective of the file that was registered, which has its metadata
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

/** Returns the outcome for an objective; `after` is its canonical JSON. */
export function registrationToJson(registration: Registration, after: string): object {
  const { outcome, name, revision, id, sha256, previous } = registration;
  const changes = previous === undefined ? [] : compareObjectives(previous, after);
  return { outcome, name, revision, id, sha256, changes };
}
