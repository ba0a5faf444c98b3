import { type JsonObject, jsonNumber, writeJson } from '../../mutators/values/index.js';

/** The json output of a command: versioned, with numbers exactly as given. */
export function versioned(members: JsonObject): string {
  return `${writeJson({ version: jsonNumber('1'), ...members }, 2)}\n`;
}
