import { quote } from '../../diagnostics/index.js';
import { compareCodePoints } from '../../source/index.js';
import type { AttributeValue } from '../../values/index.js';
import {
  describeJson,
  fromJson,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObject,
  parseJson,
  toJson,
  writeJson,
} from '../../values/index.js';
import type { Mutator } from '../model/mutator.js';
import { fromAttributes, toAttributes } from './descriptor.js';
import { parameterKeyIn } from './parameter-attributes.js';

/** No system has this many mutators; the limit keeps a hostile listing from filling the memory. */
const MOST_MUTATORS = 250_000;

/** Of the warnings beyond these, only the number is given. */
const MOST_WARNINGS = 100;

/** The mutators of a server, and what was wrong with some of them, for people. */
export interface Listing {
  readonly mutators: readonly Mutator[];
  readonly warnings: readonly string[];
}

/** Why a text is not a listing. */
export interface ListingProblem {
  readonly code: 'not-json' | 'not-a-listing' | 'too-many';
  readonly problem: string;
}

/**
 * Reads the body of `GET /mutator`: an array of `{ mutator_correlation_id,
 * attributes }`. What is malformed in one element costs no more than that
 * element, parameter or attribute, and leaves a warning. Of several elements
 * with the same id, the first stays.
 */
export function readListing(text: string): Listing | ListingProblem {
  if (hasMoreElements(text, MOST_MUTATORS)) {
    return { code: 'too-many', problem: `more than ${MOST_MUTATORS} mutators` };
  }
  const json = parseJson(text);
  if ('problem' in json) return { code: 'not-json', problem: json.problem };
  if (!Array.isArray(json.value)) {
    const problem = `expected an array of mutators, found ${describeJson(json.value)}`;
    return { code: 'not-a-listing', problem };
  }
  const mutators = new Map<string, Mutator>();
  const warnings: string[] = [];
  for (const [index, element] of (json.value as readonly Json[]).entries()) {
    const reading = readElement(element);
    if ('problem' in reading) {
      warnings.push(`mutator ${index + 1} of the listing is left out: ${reading.problem}`);
    } else if (mutators.has(reading.mutator.id)) {
      warnings.push(
        `mutator ${index + 1} of the listing is left out: the id ${quote(reading.mutator.id)} is taken by an earlier one`,
      );
    } else {
      mutators.set(reading.mutator.id, reading.mutator);
      const who = `mutator ${quote(reading.mutator.id)}`;
      for (const warning of reading.warnings) warnings.push(`${who}: ${warning}`);
    }
  }
  return { mutators: [...mutators.values()], warnings: bounded(warnings) };
}

function bounded(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MOST_WARNINGS;
  if (more <= 0) return warnings;
  return [...warnings.slice(0, MOST_WARNINGS), `and ${more} more warning${more === 1 ? '' : 's'}`];
}

/**
 * Whether an array in JSON text has more than `most` elements, counted by its
 * commas before any of it is parsed: small text can be large in memory.
 */
function hasMoreElements(text: string, most: number): boolean {
  if (text.length < 2 * most) return false;
  let depth = 0;
  let commas = 0;
  for (let at = 0; at < text.length && commas < most; at += 1) {
    const unit = text[at];
    if (unit === '"') at = endOfString(text, at);
    else if (unit === '[' || unit === '{') depth += 1;
    else if (unit === ']' || unit === '}') depth -= 1;
    else if (unit === ',' && depth === 1) commas += 1;
  }
  return commas >= most;
}

/** Where the string that begins at an index has its closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/**
 * Writes the body of `GET /mutator`, sorted by id: the same bytes for the same
 * mutators. On one line, or with `indent` spaces per level.
 */
export function writeListing(mutators: readonly Mutator[], indent?: number): string {
  const sorted = [...mutators].sort((a, b) => compareCodePoints(a.id, b.id));
  return writeJson(sorted.map(elementOf), indent);
}

function elementOf(mutator: Mutator): Json {
  const attributes = [...toAttributes(mutator)].map(
    ([key, value]) => [key, toJson(value)] as const,
  );
  return { mutator_correlation_id: mutator.id, attributes: jsonObject(attributes) };
}

function readElement(json: Json) {
  if (!isJsonObject(json)) return { problem: `it is ${describeJson(json)}` };
  const id = json['mutator_correlation_id'];
  const attributes = json['attributes'];
  if (typeof id !== 'string' || id === '') return { problem: 'it has no "mutator_correlation_id"' };
  if (attributes === undefined || !isJsonObject(attributes)) {
    return { problem: `${quote(id)} has no "attributes"` };
  }
  const read = readAttributes(attributes);
  const { mutator, warnings } = fromAttributes(id, read.attributes, read.broken);
  return { mutator, warnings: [...read.warnings, ...warnings] };
}

/**
 * The attributes that have a value. One without a value takes its whole
 * parameter with it, lest an unreadable bound pass for an open one; null,
 * which many writers put for absence, does not.
 *
 * @returns also the keys of the parameters that are to be left out
 */
function readAttributes(json: JsonObject) {
  const attributes = new Map<string, AttributeValue>();
  const warnings: string[] = [];
  const broken = new Set<string>();
  for (const [name, value] of Object.entries(json)) {
    const read = fromJson(value);
    if ('type' in read) {
      attributes.set(name, read);
      continue;
    }
    warnings.push(`${quote(name)} is left out: ${read.problem}`);
    const key = parameterKeyIn(name);
    if (key !== undefined && value !== null) broken.add(key);
  }
  for (const key of broken) warnings.push(`parameter ${quote(key)} is left out with it`);
  return { attributes, warnings, broken };
}
