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

/** No system has this many mutators; the limit keeps a hostile listing from filling the memory. */
const MOST_MUTATORS = 250_000;

/** Of the warnings beyond these, only the number is given. */
const MOST_WARNINGS = 100;

/** The mutators of a server, and what was wrong with some of them. */
export interface Listing {
  readonly mutators: readonly Mutator[];
  readonly warnings: readonly ListingWarning[];
}

/** Something in a listing that could not be used. */
export interface ListingWarning {
  /** The id of the mutator that it is about; absent for an element that was left out. */
  readonly id?: string;
  /** For people; names the mutator. */
  readonly message: string;
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
  const warnings: ListingWarning[] = [];
  for (const [index, element] of (json.value as readonly Json[]).entries()) {
    const reading = readElement(element);
    if ('problem' in reading) {
      warnings.push(leftOut(index, reading.problem));
      continue;
    }
    const { id } = reading.mutator;
    if (mutators.has(id)) {
      warnings.push(leftOut(index, `the id ${quote(id)} is taken by an earlier one`));
      continue;
    }
    mutators.set(id, reading.mutator);
    for (const warning of reading.warnings) {
      warnings.push({ id, message: `mutator ${quote(id)}: ${warning}` });
    }
  }
  return { mutators: [...mutators.values()], warnings };
}

function leftOut(index: number, reason: string): ListingWarning {
  return { message: `mutator ${index + 1} of the listing is left out: ${reason}` };
}

/** The texts of the first hundred warnings, and the number of those beyond them. */
export function warningTexts(warnings: readonly ListingWarning[]): readonly string[] {
  const texts = warnings.slice(0, MOST_WARNINGS).map(({ message }) => message);
  const more = warnings.length - texts.length;
  return more === 0 ? texts : [...texts, `and ${plural(more, 'more warning')}`];
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
  const read = readAttributes(attributes);
  const { mutator, warnings } = fromAttributes(id, read.attributes, read.broken, read.shapes);
  return { mutator, warnings: [...read.warnings, ...warnings] };
}

/** What people write for tags, each of which is an attribute of its own. */
const TAGS = 'mutator.tags';

/** How many tags a warning writes out. */
const MOST_TAGS = 3;

/** The attributes for tags that were written as one text or as an array. */
function tagsMeant(json: Json): string {
  const words = typeof json === 'string' ? json.split(/[\s,;]+/) : Array.isArray(json) ? json : [];
  const tags = words.filter((word) => typeof word === 'string' && word !== '').slice(0, MOST_TAGS);
  return (tags.length === 0 ? ['TAG'] : tags)
    .map((tag) => `${quote(`${TAGS}.${tag}`)}: true`)
    .join(', ');
}

/**
 * The attributes that have a value. One without a value takes its whole
 * parameter with it, lest an unreadable bound pass for an open one; null,
 * which many writers put for absence, does not.
 *
 * @returns also the keys of the parameters that are to be left out, and the shape that each parameter's
 *   values are written in
 */
function readAttributes(json: JsonObject) {
  const attributes = new Map<string, AttributeValue>();
  const warnings: string[] = [];
  const broken = new Set<string>();
  const shown = new Map<string, Set<Shape>>();
  for (const [name, value] of Object.entries(json)) {
    const read = fromJson(value);
    if (name === TAGS) warnings.push(`${quote(name)} gives it no tag: write ${tagsMeant(value)}`);
    const key = parameterKeyIn(name);
    if ('type' in read) {
      attributes.set(name, read);
      if (key === undefined || !holdsValueOf(key, name)) continue;
      const shape = shapeOf(value);
      if (shape !== undefined) shown.set(key, (shown.get(key) ?? new Set()).add(shape));
      continue;
    }
    if (name === TAGS) continue;
    warnings.push(`${quote(name)} is left out: ${read.problem}`);
    if (key !== undefined && value !== null) broken.add(key);
  }
  for (const key of broken) warnings.push(`parameter ${quote(key)} is left out with it`);
  const shapes = new Map([...shown].map(([key, all]) => [key, commonShape(all)] as const));
  return { attributes, warnings, broken, shapes };
}

/** The one shape of a parameter's values; undefined if they have several. Small big integers may be bare in any. */
function commonShape(shapes: ReadonlySet<Shape>): Shape | undefined {
  const [shape = 'bare', ...others] = [...shapes].filter((one) => one !== 'bare');
  return others.length === 0 ? shape : undefined;
}
