import * as Type from 'typebox';
import type { Json, JsonProblem } from '../values/index.js';

/*
 * A record is stored or sent as JSON. Its single declaration is a typebox schema, which is itself
 * JSON Schema. The type, the published schema and the input check all derive from this schema.
 */

/** The immutable type of a schema's values. */
export type RecordOf<Schema extends Type.TSchema> = Immutable<Type.Static<Schema>>;

/** The types of several schemas, by name. */
export type RecordsOf<Schemas extends Readonly<Record<string, Type.TSchema>>> = {
  readonly [Name in keyof Schemas]: RecordOf<Schemas[Name]>;
};

type Immutable<Value> = Value extends Leaf
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : { readonly [Key in keyof Value]: Immutable<Value[Key]> };

type Leaf = string | number | bigint | boolean | null | undefined | ReadonlyMap<unknown, unknown>;

/** A record to write; undefined members are omitted. */
export type Writable<Value> = Value extends Leaf
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Writable<Item>[]
    : {
        readonly [Key in keyof Value]: Partial<Pick<Value, Key>> extends Pick<Value, Key>
          ? Writable<Value[Key]> | undefined
          : Writable<Value[Key]>;
      };

export const TEXT = Type.String();
export const TEXTS = Type.Array(TEXT);
export const NUMBER = Type.Number();
export const BOOLEAN = Type.Boolean();
/** A count, or a zero-based position. */
export const COUNT = Type.Integer({ minimum: 0 });
/** An integer of any size, in decimal. */
export const DIGITS = Type.String({ pattern: '^-?[0-9]+$' });

/** Returns the same schema with a description. */
export function withDescription<Schema extends Type.TSchema>(
  description: string,
  schema: Schema,
): Schema {
  return { description, ...schema };
}

/** Returns the schema of an object with arbitrary keys and one schema for all values. */
export function mapOf<Schema extends Type.TSchema>(
  values: Schema,
): Type.TUnsafe<Readonly<Record<string, Type.Static<Schema>>>> {
  return Type.Unsafe({ type: 'object', additionalProperties: values });
}

/** A conversion between JSON and the program's value. */
export interface Conversion<Value> {
  /** Converts schema-valid JSON to the program's value, or returns the problem. */
  readonly read: (json: Json) => { readonly value: Value } | JsonProblem;
  readonly write: (value: Value) => Json;
}

/** Returns a schema whose values are converted on reading and writing. */
export function withConversion<Value>(
  schema: Type.TSchema,
  conversion: Conversion<Value>,
): Type.TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...schema, ...conversion });
}

/**
 * Returns the schema of a member with a default. The JSON omits a member with the default value.
 */
export function withDefault<Schema extends Type.TSchema>(
  schema: Schema,
  value: Type.Static<Schema>,
): Schema {
  return { ...schema, default: value };
}

/** Returns the schema of an object. Members with a default may be absent from the JSON. */
export function objectSchema<Properties extends Type.TProperties>(
  properties: Properties,
): Type.TObject<Properties> {
  const required = Object.entries(properties).flatMap(([name, schema]) =>
    Type.IsOptional(schema) || 'default' in schema ? [] : [name],
  );
  return Object.assign(Type.Object(properties), { required });
}

/**
 * Names a schema, so `publish` writes it only once and refers to it elsewhere.
 *
 * @param name the definition's name
 */
export function namedSchema<Schema extends Type.TSchema>(name: string, schema: Schema): Schema {
  return { $id: name, ...schema };
}

/** Returns a reference to a named schema, for use within that schema. */
export function referenceTo<Value>(name: string): Type.TUnsafe<Value> {
  return Type.Unsafe<Value>({ $ref: name });
}

/**
 * Returns a schema for publication, with named parts moved to definitions.
 *
 * @param base the references' prefix, such as `#/definitions/`
 */
export function publish(
  schema: unknown,
  base: string,
): { readonly schema: unknown; readonly definitions: Readonly<Record<string, unknown>> } {
  const definitions: Record<string, unknown> = {};
  const published = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(published);
    if (typeof part !== 'object' || part === null) return part;
    const { $id, $ref, ...content } = part as { readonly $id?: string; readonly $ref?: string };
    if ($ref !== undefined) return { $ref: base + $ref };
    const entries = () => Object.entries(content).map(([key, item]) => [key, published(item)]);
    if ($id === undefined) return Object.fromEntries(entries());
    if (!Object.hasOwn(definitions, $id)) {
      definitions[$id] = {};
      definitions[$id] = Object.fromEntries(entries());
    }
    return { $ref: base + $id };
  };
  return { schema: published(schema), definitions };
}
