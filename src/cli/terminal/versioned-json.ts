import { safeJson } from '../../reporters/index.js';
import { type Json, type JsonObject, jsonNumber, writeJson } from '../../values/index.js';

/** The json output of a command: versioned, with numbers exactly as given, and safe to show. */
export function versioned(members: JsonObject): string {
  return safeJson({ version: jsonNumber('1'), ...members }, (value) => writeJson(value as Json, 2));
}
