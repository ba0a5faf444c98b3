import { plural } from '../../basics/index.js';
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
  type Shape,
  shapeOf,
  writeJson,
} from '../../values/index.js';
import type { Mutator } from '../model/mutator.js';
import { toServerJson } from '../model/parameter.js';
import { fromAttributes, toAttributes } from './descriptor.js';
import { holdsValueOf, parameterKeyIn } from './parameter-attributes.js';

/** Maximum number of mutators. No system has this many, but a hostile listing could exhaust memory. */
const MAX_MUTATORS = 250_000;

/** Maximum number of warnings. Further warnings are only counted. */
const MAX_WARNINGS = 100;

/** A server's mutators, and warnings about them. */
export interface Listing {
  readonly mutators: readonly Mutator[];
  readonly warnings: readonly ListingWarning[];
}

/** A warning about an unusable part of a listing. */
export interface ListingWarning {
  /** The mutator's id; absent for an element that was omitted. */
  readonly id?: string;
  /** The warning, with the mutator's name. */
  readonly message: string;
}

/** The reason why a text is not a listing. */
export interface ListingProblem {
  readonly code: 'not-json' | 'not-a-listing' | 'too-many';
  readonly problem: string;
}

/**
 * Parses the body of `GET /mutator`, an array of `{ mutator_correlation_id, attributes }`. Omits malformed elements,
 * parameters and attributes, each with a warning. If several elements have the same id, keeps the first.
 */
export function readListing(text: string): Listing | ListingProblem {
  if (hasMoreElements(text, MAX_MUTATORS)) {
    return { code: 'too-many', problem: `more than ${MAX_MUTATORS} mutators` };
  }
  const json = parseJson(text);
  if ('problem' in json) return { code: 'not-json', problem: json.problem };
  if (!Array.isArray(json.value)) {
    const problem = `expected an array of mutators, found ${describeJson(json.value)}`;
    return { code: 'not-a-listing', problem };
  }
  const mutators = new Map<string, Mutator>();
  const warnings: ListingWarning[] = [];
  for (const [index, element] of (json.value as readonly Json[]).entries()) {
    const reading = readElement(element);
    if ('problem' in reading) {
      warnings.push(toWarning(index, reading.problem));
      continue;
    }
    const { id } = reading.mutator;
    if (mutators.has(id)) {
      warnings.push(toWarning(index, `duplicate id ${quote(id)}`));
      continue;
    }
    mutators.set(id, reading.mutator);
    for (const warning of reading.warnings) {
      warnings.push({ id, message: `mutator ${quote(id)}: ${warning}` });
    }
  }
  return { mutators: [...mutators.values()], warnings };
}

function toWarning(index: number, reason: string): ListingWarning {
  return { message: `mutator ${index + 1} of the listing is skipped: ${reason}` };
}

/** Returns the messages of the first hundred warnings, and the number of further warnings. */
export function formatWarnings(warnings: readonly ListingWarning[]): readonly string[] {
  const texts = warnings.slice(0, MAX_WARNINGS).map(({ message }) => message);
  const hiddenCount = warnings.length - texts.length;
  return hiddenCount === 0 ? texts : [...texts, `and ${plural(hiddenCount, 'more warning')}`];
}

/**
 * True if a JSON text's outer array has more than `limit` elements. Counts commas before any parsing, because a small
 * text can become large in memory.
 */
function hasMoreElements(text: string, limit: number): boolean {
  if (text.length < 2 * limit) return false;
  let depth = 0;
  let commas = 0;
  for (let index = 0; index < text.length && commas < limit; index += 1) {
    const unit = text[index];
    if (unit === '"') index = endOfString(text, index);
    else if (unit === '[' || unit === '{') depth += 1;
    else if (unit === ']' || unit === '}') depth -= 1;
    else if (unit === ',' && depth === 1) commas += 1;
  }
  return commas >= limit;
}

/**
 * Returns the index of a string's closing quote.
 *
 * @param start the index of its opening quote
 */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

/**
 * Formats the body of `GET /mutator`, sorted by id. The output is deterministic. Writes a single line, or `indent`
 * spaces per level.
 */
export function writeListing(mutators: readonly Mutator[], indent?: number): string {
  const sorted = [...mutators].sort((a, b) => compareCodePoints(a.id, b.id));
  return writeJson(sorted.map(elementOf), indent);
}

function elementOf(mutator: Mutator): Json {
  const { parameters } = mutator;
  const attributes = [...toAttributes(mutator)].map(([name, value]) => {
    const parameter = parameters.find(({ key }) => holdsValueOf(key, name));
    return [name, toServerJson(parameter ?? {}, value)] as const;
  });
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
  const reading = readAttributes(attributes);
  const { mutator, warnings } = fromAttributes(
    id,
    reading.attributes,
    reading.broken,
    reading.shapes,
  );
  return { mutator, warnings: [...reading.warnings, ...warnings] };
}

/** A key that people often use by mistake. Each tag is a separate attribute. */
const TAGS = 'mutator.tags';

/** Maximum number of tags in a warning. */
const MAX_TAGS = 3;

/** Returns the intended attributes for tags in a single string or an array. */
function intendedTags(json: Json): string {
  const words = typeof json === 'string' ? json.split(/[\s,;]+/) : Array.isArray(json) ? json : [];
  const tags = words.filter((word) => typeof word === 'string' && word !== '').slice(0, MAX_TAGS);
  return (tags.length === 0 ? ['TAG'] : tags)
    .map((tag) => `${quote(`${TAGS}.${tag}`)}: true`)
    .join(', ');
}

/**
 * Reads attributes that have a valid value. An attribute with an invalid value invalidates its whole parameter, because
 * an unreadable bound must not become an open bound. Null counts as an absent attribute, because many programs write
 * null for absent values.
 *
 * @returns the attributes, the keys of invalid parameters, and the common shape of each parameter's values
 */
function readAttributes(json: JsonObject) {
  const attributes = new Map<string, AttributeValue>();
  const warnings: string[] = [];
  const brokenKeys = new Set<string>();
  const shapesByKey = new Map<string, Set<Shape>>();
  for (const [name, value] of Object.entries(json)) {
    const reading = fromJson(value);
    if (name === TAGS)
      warnings.push(`${quote(name)} does not tag the mutator: write ${intendedTags(value)}`);
    const key = parameterKeyIn(name);
    if ('type' in reading) {
      attributes.set(name, reading);
      if (key === undefined || !holdsValueOf(key, name)) continue;
      const shape = shapeOf(value);
      if (shape !== undefined) shapesByKey.set(key, (shapesByKey.get(key) ?? new Set()).add(shape));
      continue;
    }
    if (name === TAGS) continue;
    warnings.push(`${quote(name)} is skipped: ${reading.problem}`);
    if (key !== undefined && value !== null) brokenKeys.add(key);
  }
  for (const key of brokenKeys)
    warnings.push(`parameter ${quote(key)} is skipped, because one of its attributes is skipped`);
  const shapes = new Map([...shapesByKey].map(([key, all]) => [key, commonShape(all)] as const));
  return { attributes, warnings, broken: brokenKeys, shapes };
}

/**
 * Returns the common shape of a parameter's values; undefined if the shapes differ. A bare big integer is compatible
 * with any shape.
 */
function commonShape(shapes: ReadonlySet<Shape>): Shape | undefined {
  const [shape = 'bare', ...otherShapes] = [...shapes].filter((candidate) => candidate !== 'bare');
  return otherShapes.length === 0 ? shape : undefined;
}
