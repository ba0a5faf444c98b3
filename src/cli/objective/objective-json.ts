import { type Change, compareObjectives, readCanonical } from '../../objective/index.js';
import type {
  Identity,
  Listed,
  LogEntry,
  Registration,
  Revision,
  RevisionOrigin,
} from '../../store/index.js';
import { type Json, type JsonObject, jsonNumber } from '../../values/index.js';

/** An objective of a list for scripts. */
export function listedToJson(listed: Listed): JsonObject {
  return {
    ...identityToJson(listed),
    measurements: jsonNumber(String(listed.measurements)),
    mutators: jsonNumber(String(listed.mutators)),
    stopping_conditions: readCanonical(listed.stop),
    ...(listed.deletedAt && { deleted_at: listed.deletedAt.toISOString() }),
  };
}

/** A revision of a log for scripts. */
export function logEntryToJson(entry: LogEntry): JsonObject {
  return { ...listedToJson(entry), ...originToJson(entry.origin) };
}

/** A revision with all that is known of it; `content` is its canonical JSON. */
export function revisionToJson(revision: Revision): JsonObject {
  const { deletedAt } = revision;
  return {
    ...identityToJson(revision),
    revisions: jsonNumber(String(revision.revisions)),
    ...(deletedAt && { deleted_at: deletedAt.toISOString() }),
    ...originToJson(revision.origin),
    content: readCanonical(revision.canonical),
  };
}

function identityToJson({ name, revision, id, sha256, createdAt }: Identity): JsonObject {
  return {
    name,
    revision: jsonNumber(String(revision)),
    id,
    sha256,
    created_at: createdAt.toISOString(),
  };
}

function originToJson({ rules, path, commit }: RevisionOrigin): JsonObject {
  return { rules, ...(path !== undefined && { path }), ...(commit !== undefined && { commit }) };
}

/** What became of an objective; `after` is its canonical JSON. */
export function registrationToJson(registration: Registration, after: string): JsonObject {
  const { outcome, name, revision, id, sha256, previous } = registration;
  const changes = previous === undefined ? [] : compareObjectives(previous, after);
  return {
    outcome,
    name,
    revision: jsonNumber(String(revision)),
    id,
    sha256,
    changes: changes.map(changeToJson),
  };
}

export function changeToJson({ change, where, before, after }: Change): Json {
  return {
    change,
    where,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}
