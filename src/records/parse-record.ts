import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { exitCodes, PerturbError } from '../basics/index.js';
import { listOf, quote } from '../diagnostics/index.js';
import {
  isJsonObject,
  type Json,
  type JsonProblem,
  jsonNumber,
  numberText,
  parseJson,
  writeJson,
} from '../values/index.js';
import type { Conversion, RecordOf } from './schema.js';

/** A schema, reduced to the parts that convert values or find mistakes. */
interface Part extends Partial<Conversion<unknown>> {
  readonly properties?: Readonly<Record<string, Part>>;
  readonly required?: readonly string[];
  readonly items?: Part;
  readonly anyOf?: readonly Part[];
  readonly const?: unknown;
  readonly default?: unknown;
}

/** Parses a record's JSON text. Integers beyond 2^53 become bigints. Keeps unknown members. */
export function parseRecord<Schema extends TSchema>(
  schema: Schema,
  text: string,
): { readonly record: RecordOf<Schema> } | JsonProblem {
  const json = parseJson(text);
  return 'problem' in json ? json : recordOf(schema, text, json.value);
}

/**
 * Parses a record that has one of several schemas.
 *
 * @param key the member that contains the schema's name
 */
export function parseOneOf<Schema extends TSchema>(
  schemas: Readonly<Record<string, Schema>>,
  key: string,
  text: string,
): { readonly record: RecordOf<Schema> } | JsonProblem {
  const json = parseJson(text);
  if ('problem' in json) return json;
  const name = isJsonObject(json.value) ? json.value[key] : undefined;
  if (typeof name !== 'string') return { problem: `it has no ${quote(key)}` };
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (schema === undefined) return { problem: `unknown ${key} ${quote(name)}` };
  return recordOf(schema, text, json.value);
}

function recordOf<Schema extends TSchema>(
  schema: Schema,
  text: string,
  json: Json,
): { readonly record: RecordOf<Schema> } | JsonProblem {
  const rounded: unknown = JSON.parse(text);
  if (!Check(schema, rounded)) return { problem: mistakeText(schema, rounded) };
  try {
    // The check used rounded numbers; the record gets exact numbers and converted values.
    return { record: fromJson(schema, json) as RecordOf<Schema> };
  } catch (error) {
    if (!(error instanceof PerturbError && error.code === NOT_CONVERTED)) throw error;
    return { problem: error.message };
  }
}

/** Formats a record as JSON on one line, without undefined members or default values. */
export function stringifyRecord<Schema extends TSchema>(
  schema: Schema,
  record: RecordOf<Schema> | Static<Schema>,
): string {
  return writeJson(jsonOf(schema, record));
}

const NOT_CONVERTED = 'not-converted';

/**
 * Returns the position and description of the first mistake in a value that does not fit the
 * schema.
 */
function mistakeText(schema: Part, value: unknown): string {
  const { path, message } = mistakeIn(schema, value);
  const position = path.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`)).join('');
  return position === '' ? message : `${position.replace(/^\./, '')} ${message}`;
}

interface Mistake {
  readonly path: readonly string[];
  readonly message: string;
}

function mistakeIn(schema: Part, value: unknown): Mistake {
  const variant = variantOf(schema, value);
  if (variant !== undefined) return mistakeIn(variant, value);
  if (isOtherVersion(schema, value)) {
    return { path: [], message: `format version ${value.version}` };
  }
  const [, [first]] = Errors(schema as TSchema, value);
  if (first === undefined) return { path: [], message: 'does not match the schema' };
  const path = first.instancePath.split('/').slice(1);
  const message =
    first.keyword === 'enum'
      ? `must be ${listOf(first.params.allowedValues.map(String))}`
      : first.message;
  const [key = ''] = path;
  const member = schema.properties?.[key] ?? schema.items;
  if (path.length === 0 || member === undefined) return { path, message };
  // The mistake is in this member. In a union, look for it in the intended variant.
  const inside = mistakeIn(member, (value as Readonly<Record<string, unknown>>)[key]);
  return { path: [key, ...inside.path], message: inside.message };
}

/**
 * Returns the union variant that a value is meant to match: the first with matching constants, such as `kind`, and no
 * missing members. If there is none, returns the first with matching constants, unless the constants of every variant
 * match. Otherwise returns undefined.
 */
function variantOf({ anyOf = [] }: Part, value: unknown): Part | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const members = new Map<string, unknown>(Object.entries(value));
  const alike = anyOf.filter(({ properties = {} }) =>
    Object.entries(properties).every(
      ([key, member]) => member.const === undefined || member.const === members.get(key),
    ),
  );
  const complete = alike.find(({ required }) => required?.every((key) => members.has(key)));
  return complete ?? (alike.length < anyOf.length ? alike[0] : undefined);
}

/** True if a record's format version differs from the schema's. */
function isOtherVersion(
  { properties }: Part,
  value: unknown,
): value is { readonly version: number } {
  const version = properties?.['version']?.const;
  if (version === undefined || typeof value !== 'object' || value === null) return false;
  return 'version' in value && typeof value.version === 'number' && value.version !== version;
}

function fromJson(part: Part | undefined, json: Json): unknown {
  if (part?.read !== undefined) {
    const read = part.read(json);
    if ('problem' in read) throw new PerturbError(NOT_CONVERTED, read.problem, exitCodes.usage);
    return read.value;
  }
  const number = numberText(json);
  if (number !== undefined) {
    const near = Number(number);
    return Number.isSafeInteger(near) || !/^-?\d+$/.test(number) ? near : BigInt(number);
  }
  if (Array.isArray(json)) return json.map((item) => fromJson(part?.items, item));
  if (!isJsonObject(json)) return json;
  const { properties = {} } = part ?? {};
  const values = Object.entries(json).map(([key, member]) => {
    return [key, fromJson(Object.hasOwn(properties, key) ? properties[key] : undefined, member)];
  });
  const absent = Object.entries(properties).flatMap(([key, property]) =>
    property.default === undefined || Object.hasOwn(json, key) ? [] : [[key, property.default]],
  );
  return Object.fromEntries([...values, ...absent]);
}

function jsonOf(part: Part | undefined, value: unknown): Json {
  if (part?.write !== undefined) return part.write(value);
  switch (typeof value) {
    case 'bigint':
    case 'number':
      return jsonNumber(value);
    case 'string':
    case 'boolean':
      return value;
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => jsonOf(part?.items, item));
  const { properties = {} } = part ?? {};
  return Object.fromEntries(
    Object.entries(value ?? {}).flatMap(([key, item]) => {
      const member = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return item === undefined || isDefault(member, item) ? [] : [[key, jsonOf(member, item)]];
    }),
  );
}

function isDefault(part: Part | undefined, value: unknown): boolean {
  const absent = part?.default;
  return absent === value || (Array.isArray(absent) && Array.isArray(value) && value.length === 0);
}
