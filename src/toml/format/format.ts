import { type Advice, writing } from '../../diagnostics/index.js';
import type { TomlPath, TomlTable } from '../positions/node.js';

/*
 * The format of a TOML file, as plain data. Both the document check and the JSON Schema for editors derive from this
 * format.
 */

/** The type of a conforming value, for the compiler only. */
export interface PhantomType<Value> {
  readonly value?: Value;
}

export type Format = PhantomType<unknown> & (TableFormat | OtherFormat);

export interface TableFormat<Keys extends Entries = Entries>
  extends PhantomType<ConformingTable<Keys>> {
  readonly type: 'table';
  readonly keys: Keys;
  /** Help for common unknown keys, by key. Each function receives the value as written. */
  readonly hints?: Readonly<Record<string, (written: string) => string>>;
  /** True if a key misplaced in another table is never meant for this table. */
  readonly isApart?: true;
  /** The format of the subtables with arbitrary names. */
  readonly subtables?: TableFormat;
}

type OtherFormat =
  | {
      readonly type: 'string';
      /** Returns advice for a value of another type, if adding quotes would not correct it. */
      readonly hint?: (written: string) => Advice;
      /** Set if the string must contain more than white space; a string is the help for a blank value. */
      readonly nonEmpty?: true | string;
      /** The role of a string with text in another language. Its conforming value is an `EmbeddedText`. */
      readonly embeds?: string;
      /** A regular expression for the JSON Schema only. A rule reports mistakes with an explanation. */
      readonly pattern?: string;
    }
  | { readonly type: 'integer'; readonly min?: bigint; readonly max?: bigint }
  /** A non-empty string, or a non-empty array of strings. */
  | { readonly type: 'stringOrStrings' }
  | { readonly type: 'boolean' }
  /** An integer or a float. */
  | { readonly type: 'number' }
  /** A number, a string or a boolean. */
  | { readonly type: 'scalar' }
  /** A number, a string, a boolean, or a table with any content. */
  | { readonly type: 'scalarOrTable' }
  | {
      readonly type: 'enum';
      readonly options: readonly string[];
      /** Other common words, each mapped to the intended option. */
      readonly words?: Readonly<Record<string, string>>;
      /** True if `true` and `false` are allowed too. */
      readonly orBoolean?: true;
    }
  | {
      readonly type: 'array';
      readonly items: Format;
      /** The help for an empty array. If absent, an empty array is allowed. */
      readonly nonEmpty?: string;
      /** Returns advice for a value of another type, if adding brackets would not correct it. */
      readonly hint?: (written: string) => Advice | undefined;
    }
  | {
      readonly type: 'tables';
      readonly items: TableFormat;
      readonly atLeast?: 1;
      /** True if a single table may replace an array with one table. */
      readonly orTable?: true;
    }
  | {
      readonly type: 'map';
      readonly items: Format;
      /** Forbidden keys, each with its help. */
      readonly reserved?: Readonly<Record<string, string>>;
    };

type Shape<Type extends OtherFormat['type']> = Extract<OtherFormat, { readonly type: Type }>;
type Options<Type extends OtherFormat['type']> = Omit<Shape<Type>, 'type' | 'items' | 'options'>;

/**
 * A document's conforming values. Nonconforming values are absent, even for required keys. A nonconforming array
 * element is `undefined`, which preserves the file's indexes.
 */
export type ConformingValues<F extends Format> = F extends PhantomType<infer Value> ? Value : never;
type Elements<F extends Format> = readonly (ConformingValues<F> | undefined)[];

/** The allowed keys of a table. */
export interface Entries {
  readonly [key: string]: Entry;
}

/** An allowed key of a table. */
export interface Entry {
  readonly format: Format;
  readonly required?: true;
  /** A description for users, in one or two sentences. */
  readonly description: string;
  /** The value implied by an absent key. Only displayed, never filled in. */
  readonly default?: LiteralValue;
  readonly example?: LiteralValue;
  /** Common wrong names for the key, too different for a spelling check. */
  readonly aliases?: readonly string[];
  /** Names for the opposite of this boolean. */
  readonly opposites?: readonly string[];
}

/** True if a table without the key is incomplete. */
export function isRequired({ required, format }: Entry): boolean {
  return required === true || (format.type === 'tables' && format.atLeast !== undefined);
}

/** A value with the same notation in TOML and JSON. */
export type LiteralValue = string | number | boolean | readonly LiteralValue[];

export function string(options: Options<'string'> = {}): Shape<'string'> & PhantomType<string> {
  return { type: 'string', ...options };
}

/** A text in another language. Use the object itself, not its path, as the key for results. */
export interface EmbeddedText<Role extends string = string> {
  readonly path: TomlPath;
  readonly text: string;
  /** The text's role in its format. */
  readonly role: Role;
}

export const stringOrStrings: Shape<'stringOrStrings'> &
  PhantomType<string | readonly (string | undefined)[]> = { type: 'stringOrStrings' };

/** Returns the format of a string with text in another language. */
export function embedded<Role extends string>(
  role: Role,
  options: Options<'string'> = {},
): Shape<'string'> & PhantomType<EmbeddedText<Role>> {
  return { type: 'string', embeds: role, ...options };
}

/** Returns the format of an integer within inclusive bounds. */
export function integer(options: Options<'integer'> = {}): Shape<'integer'> & PhantomType<bigint> {
  return { type: 'integer', ...options };
}

export const boolean: Shape<'boolean'> & PhantomType<boolean> = { type: 'boolean' };
export const number: Shape<'number'> & PhantomType<bigint | number> = { type: 'number' };
export const anyScalar: Shape<'scalar'> & PhantomType<string | bigint | number | boolean> = {
  type: 'scalar',
};
export const scalarOrTable: Shape<'scalarOrTable'> &
  PhantomType<string | bigint | number | boolean | TomlTable> = {
  type: 'scalarOrTable',
};

export function enumOf<const Option extends string>(
  options: readonly Option[],
  words?: Readonly<Record<string, string>>,
): Shape<'enum'> & PhantomType<Option> {
  return { type: 'enum', options, ...(words && { words }) };
}

/** Returns the format of a string from a set, or a boolean. */
export function enumOrBoolean<const Option extends string>(
  options: readonly Option[],
): Shape<'enum'> & PhantomType<Option | boolean> {
  return { type: 'enum', options, orBoolean: true };
}

/** Returns the format of an array whose elements share one format. */
export function array<Items extends Format>(
  items: Items,
  options: Options<'array'> = {},
): Shape<'array'> & PhantomType<Elements<Items>> {
  return { type: 'array', items, ...options };
}

/** The format of a lower and an upper bound. */
export const bounds = array(anyScalar, {
  hint: (written) => {
    const intended = intendedBounds(written);
    return intended === undefined ? { help: 'use the form [lower, upper]' } : writing(intended);
  },
});

const NUMBER = '[+-]?(?:0|[1-9]\\d*)(?:\\.\\d+)?';
const BOUNDS = new RegExp(
  `^["'([<]*\\s*(${NUMBER})\\s*(?:\\.{2,3}|…|,|;|:|-|–|to)\\s*(${NUMBER})\\s*[>\\])"']*$`,
);

/** Suggests bounds for a common notation of a range: `[0, 25]` for `"0..25"`, `0-25` or `(0, 25)`. */
export function intendedBounds(written: string): string | undefined {
  const [, lower, upper] = BOUNDS.exec(written) ?? [];
  return lower === undefined ? undefined : `[${lower}, ${upper}]`;
}

/** Returns the format of a table with these keys and no others. */
export function table<Keys extends Entries>(
  keys: Keys,
  options: Pick<TableFormat, 'hints' | 'isApart'> = {},
): TableFormat<Keys> {
  return { type: 'table', keys, ...options };
}

/** Returns the format of a table with these keys and with subtables of any name. */
export function tableWithSubtables<Keys extends Entries, Others extends Entries>(
  keys: Keys,
  subtables: TableFormat<Others>,
): TableFormat<Keys> & PhantomType<ConformingTable<Keys> & Subtables<Others>> {
  return { type: 'table', keys, subtables };
}

/**
 * Returns the format of an array of tables, `[[key]]`. If `atLeast` is given, the array must be present and not empty.
 */
export function tables<Keys extends Entries>(
  items: TableFormat<Keys>,
  options: Options<'tables'> = {},
): Shape<'tables'> & PhantomType<Elements<TableFormat<Keys>>> {
  return { type: 'tables', items, ...options };
}

/** Returns the format of a table with arbitrary keys and one format for all values. */
export function map<Items extends Format>(
  items: Items,
  options: Options<'map'> = {},
): Shape<'map'> & PhantomType<ConformingMap<ConformingValues<Items>>> {
  return { type: 'map', items, ...options };
}

/** Returns the format of a table, or of each table of an array; undefined for any other value. */
export function tableIn(format: Format | undefined): TableFormat | undefined {
  if (format?.type === 'table') return format;
  return format?.type === 'tables' ? format.items : undefined;
}

/** A table and its path in the document. */
export interface ConformingTable<Keys extends Entries> {
  readonly path: TomlPath;
  readonly keys: { readonly [Key in keyof Keys]?: ConformingValues<Keys[Key]['format']> };
}

/** The subtables with arbitrary names, in file order. */
export interface Subtables<Keys extends Entries> {
  readonly subtables: ReadonlyMap<string, ConformingTable<Keys>>;
}

/** A table with arbitrary keys, in file order. */
export interface ConformingMap<Item> {
  readonly path: TomlPath;
  readonly entries: ReadonlyMap<string, Item>;
}

/**
 * Returns a value that is present in every conforming document.
 *
 * @throws Error if the value is missing, which is a bug
 */
export function requireValue<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('a document that fits its format lacks a required value');
  return value;
}
