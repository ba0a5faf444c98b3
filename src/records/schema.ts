import * as Type from 'typebox';
import type { Json, JsonProblem } from '../values/index.js';

/*
 * A record is what is stored or sent as JSON. Its one declaration is a schema of typebox, which is JSON Schema
 * itself: the type, the published schema and the check of what is read all come from it.
 */

/** The type of a schema's values, which are not changed once they are made. */
export type RecordOf<Schema extends Type.TSchema> = Immutable<Type.Static<Schema>>;

/** The types of several schemas, by their names. */
export type RecordsOf<Schemas extends Readonly<Record<string, Type.TSchema>>> = {
  readonly [Name in keyof Schemas]: RecordOf<Schemas[Name]>;
};

type Immutable<Value> = Value extends Leaf
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Immutable<Item>[]
    : { readonly [Key in keyof Value]: Immutable<Value[Key]> };

type Leaf = string | number | bigint | boolean | null | undefined | ReadonlyMap<unknown, unknown>;

/** A record to be written: what is undefined is left out. */
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
/** How many, or a position from 0. */
export const COUNT = Type.Integer({ minimum: 0 });
/** A whole number of any size, in decimal. */
export const DIGITS = Type.String({ pattern: '^-?[0-9]+$' });

/** The same schema with a sentence for its readers. */
export function described<Schema extends Type.TSchema>(
  description: string,
  schema: Schema,
): Schema {
  return { description, ...schema };
}

/** An object with keys of its own, whose values all have one schema. */
export function mapOf<Schema extends Type.TSchema>(
  values: Schema,
): Type.TUnsafe<Readonly<Record<string, Type.Static<Schema>>>> {
  return Type.Unsafe({ type: 'object', additionalProperties: values });
}

/** What a value is in JSON, and what the program works with. */
export interface Conversion<Value> {
  /** Gets JSON that fits the schema. */
  readonly read: (json: Json) => { readonly value: Value } | JsonProblem;
  readonly write: (value: Value) => Json;
}

/** A schema of JSON whose values are converted as they are read and written. */
export function converted<Value>(
  schema: Type.TSchema,
  conversion: Conversion<Value>,
): Type.TUnsafe<Value> {
  return Type.Unsafe<Value>({ ...schema, ...conversion });
}

/** A schema of a member that is left out of the JSON where it has this value. */
export function orElse<Schema extends Type.TSchema>(
  schema: Schema,
  value: Type.Static<Schema>,
): Schema {
  return { ...schema, default: value };
}

/** A schema of an object; members with a default may be absent from its JSON. */
export function members<Properties extends Type.TProperties>(
  properties: Properties,
): Type.TObject<Properties> {
  const required = Object.entries(properties).flatMap(([name, schema]) =>
    Type.IsOptional(schema) || 'default' in schema ? [] : [name],
  );
  return Object.assign(Type.Object(properties), { required });
}

/**
 * A schema that other schemas refer to, so that it is published once (`publish`).
 *
 * @param name of the definition
 */
export function namedSchema<Schema extends Type.TSchema>(name: string, schema: Schema): Schema {
  return { $id: name, ...schema };
}

/** A reference to a named schema within itself. */
export function referenceTo<Value>(name: string): Type.TUnsafe<Value> {
  return Type.Unsafe<Value>({ $ref: name });
}

/**
 * A schema as it is published: those of its parts that have names become references.
 *
 * @param base of the references, such as `#/definitions/`
 */
export function publish(
  schema: unknown,
  base: string,
): { readonly schema: unknown; readonly definitions: Readonly<Record<string, unknown>> } {
  const definitions: Record<string, unknown> = {};
  const published = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(published);
    if (typeof part !== 'object' || part === null) return part;
    const { $id, $ref, ...rest } = part as { readonly $id?: string; readonly $ref?: string };
    if ($ref !== undefined) return { $ref: base + $ref };
    const entries = () => Object.entries(rest).map(([key, one]) => [key, published(one)]);
    if ($id === undefined) return Object.fromEntries(entries());
    if (!Object.hasOwn(definitions, $id)) {
      definitions[$id] = {};
      definitions[$id] = Object.fromEntries(entries());
    }
    return { $ref: base + $id };
  };
  return { schema: published(schema), definitions };
}
