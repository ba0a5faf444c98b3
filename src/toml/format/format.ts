import { type Advice, writing } from '../../diagnostics/index.js';
import type { TomlPath, TomlTable } from '../positions/node.js';

/*
 * What a TOML file may hold, as plain data: the loader that checks a document
 * and the JSON Schema that an editor uses are both derived from it.
 */

/** The type of the value in a document that fits; only the compiler knows of it. */
export interface Fits<Value> {
  readonly value?: Value;
}

export type Format = Fits<unknown> & (TableFormat | OtherFormat);

export interface TableFormat<Keys extends Entries = Entries> extends Fits<ConformedTable<Keys>> {
  readonly type: 'table';
  readonly keys: Keys;
  /** What to do about keys that people expect here, by their names, given the value as it is written. */
  readonly hints?: Readonly<Record<string, (written: string) => string>>;
  /** A key that is misplaced in another table was never meant for this one. */
  readonly isApart?: true;
  /** The format of tables in it whose names are the user's own. */
  readonly others?: TableFormat;
}

type OtherFormat =
  | {
      readonly type: 'string';
      /** What to write in place of a value of another type, if quotes are not the answer. */
      readonly hint?: (written: string) => Advice;
      /** There is something in it other than white space; a text says what to do otherwise. */
      readonly nonEmpty?: true | string;
      /** Another language that it is written in, and for what: what fits is an `EmbeddedText`. */
      readonly embeds?: string;
      /** What editors check it against, as a regular expression; a rule says what is wrong in words. */
      readonly pattern?: string;
    }
  | { readonly type: 'integer'; readonly min?: bigint; readonly max?: bigint }
  /** A string, or an array of strings; neither is empty. */
  | { readonly type: 'stringOrStrings' }
  | { readonly type: 'boolean' }
  /** An integer or a float. */
  | { readonly type: 'number' }
  /** A number, a string or a boolean. */
  | { readonly type: 'scalar' }
  /** A number, a string, a boolean, or a table of anything. */
  | { readonly type: 'scalarOrTable' }
  | {
      readonly type: 'enum';
      readonly options: readonly string[];
      /** What else people write for an option. */
      readonly words?: Readonly<Record<string, string>>;
      /** True and false are values too. */
      readonly orBoolean?: true;
    }
  | {
      readonly type: 'array';
      readonly items: Format;
      /** There is at least one element; the text says what to do otherwise. */
      readonly nonEmpty?: string;
      /** What to write in place of a value of another type, if brackets are not the answer. */
      readonly hint?: (written: string) => Advice | undefined;
    }
  | {
      readonly type: 'tables';
      readonly items: TableFormat;
      readonly atLeast?: 1;
      /** A single table may be written in place of an array of one. */
      readonly orTable?: true;
    }
  | {
      readonly type: 'map';
      readonly items: Format;
      /** Keys that it cannot have, and what to do instead. */
      readonly reserved?: Readonly<Record<string, string>>;
    };

type Shape<Type extends OtherFormat['type']> = Extract<OtherFormat, { readonly type: Type }>;
type Options<Type extends OtherFormat['type']> = Omit<Shape<Type>, 'type' | 'items' | 'options'>;

/**
 * The values of a document that fit a format. What did not fit is absent, even
 * required keys; an element that did not fit is `undefined`, so that indexes
 * stay those of the file.
 */
export type Conformed<F extends Format> = F extends Fits<infer Value> ? Value : never;
type Elements<F extends Format> = readonly (Conformed<F> | undefined)[];

/** The keys that a table may have. */
export interface Entries {
  readonly [key: string]: Entry;
}

/** What is known of one key of a table. */
export interface Entry {
  readonly format: Format;
  readonly required?: true;
  /** One or two sentences, for people. */
  readonly description: string;
  /** What an absent key means. It is shown to people and never filled in. */
  readonly default?: LiteralFormat;
  readonly example?: LiteralFormat;
  /** Other names that people give it, too far from its own for a spelling check. */
  readonly aliases?: readonly string[];
  /** Names for what is true when this boolean is false. */
  readonly opposites?: readonly string[];
}

/** Whether a table without the key is incomplete. */
export function isRequired({ required, format }: Entry): boolean {
  return required === true || (format.type === 'tables' && format.atLeast !== undefined);
}

/** A value that is written alike in TOML and JSON. */
export type LiteralFormat = string | number | boolean | readonly LiteralFormat[];

export function string(options: Options<'string'> = {}): Shape<'string'> & Fits<string> {
  return { type: 'string', ...options };
}

/** A text in another language; results about it are kept by the object, not by its path. */
export interface EmbeddedText<Role extends string = string> {
  readonly path: TomlPath;
  readonly text: string;
  /** What the format says that it is for. */
  readonly role: Role;
}

export const stringOrStrings: Shape<'stringOrStrings'> &
  Fits<string | readonly (string | undefined)[]> = { type: 'stringOrStrings' };

/** A string that holds a text in another language. */
export function embedded<Role extends string>(
  role: Role,
  options: Options<'string'> = {},
): Shape<'string'> & Fits<EmbeddedText<Role>> {
  return { type: 'string', embeds: role, ...options };
}

/** An integer within bounds, both included. */
export function integer(options: Options<'integer'> = {}): Shape<'integer'> & Fits<bigint> {
  return { type: 'integer', ...options };
}

export const boolean: Shape<'boolean'> & Fits<boolean> = { type: 'boolean' };
export const number: Shape<'number'> & Fits<bigint | number> = { type: 'number' };
export const anyScalar: Shape<'scalar'> & Fits<string | bigint | number | boolean> = {
  type: 'scalar',
};
export const scalarOrTable: Shape<'scalarOrTable'> &
  Fits<string | bigint | number | boolean | TomlTable> = {
  type: 'scalarOrTable',
};

export function enumOf<const Option extends string>(
  options: readonly Option[],
  words?: Readonly<Record<string, string>>,
): Shape<'enum'> & Fits<Option> {
  return { type: 'enum', options, ...(words && { words }) };
}

/** One of a set of strings, or true or false. */
export function enumOrBoolean<const Option extends string>(
  options: readonly Option[],
): Shape<'enum'> & Fits<Option | boolean> {
  return { type: 'enum', options, orBoolean: true };
}

/** An array whose elements all have one format. */
export function array<Items extends Format>(
  items: Items,
  options: Options<'array'> = {},
): Shape<'array'> & Fits<Elements<Items>> {
  return { type: 'array', items, ...options };
}

/** A lower and an upper bound. */
export const bounds = array(anyScalar, {
  hint: (written) => {
    const meant = boundsMeant(written);
    return meant === undefined ? { help: 'a range is [lower, upper]' } : writing(meant);
  },
});

const NUMBER = '[+-]?(?:0|[1-9]\\d*)(?:\\.\\d+)?';
const BOUNDS = new RegExp(
  `^["'([<]*\\s*(${NUMBER})\\s*(?:\\.{2,3}|…|,|;|:|-|–|to)\\s*(${NUMBER})\\s*[>\\])"']*$`,
);

/** `[0, 25]` for `"0..25"`, `0-25` or `(0, 25)`. */
export function boundsMeant(written: string): string | undefined {
  const [, lower, upper] = BOUNDS.exec(written) ?? [];
  return lower === undefined ? undefined : `[${lower}, ${upper}]`;
}

/** A table with these keys and no others. */
export function table<Keys extends Entries>(
  keys: Keys,
  options: Pick<TableFormat, 'hints' | 'isApart'> = {},
): TableFormat<Keys> {
  return { type: 'table', keys, ...options };
}

/** A table with these keys, and with tables whose names are the user's own. */
export function tableWithOthers<Keys extends Entries, Others extends Entries>(
  keys: Keys,
  others: TableFormat<Others>,
): TableFormat<Keys> & Fits<ConformedTable<Keys> & OtherTables<Others>> {
  return { type: 'table', keys, others };
}

/** An array of tables: `[[key]]`. With `atLeast`, neither absent nor empty. */
export function tables<Keys extends Entries>(
  items: TableFormat<Keys>,
  options: Options<'tables'> = {},
): Shape<'tables'> & Fits<Elements<TableFormat<Keys>>> {
  return { type: 'tables', items, ...options };
}

/** A table with keys of the user's own, whose values all have one format. */
export function map<Items extends Format>(
  items: Items,
  options: Options<'map'> = {},
): Shape<'map'> & Fits<ConformedMap<Conformed<Items>>> {
  return { type: 'map', items, ...options };
}

/** The format of a table, or of each table of an array; undefined for any other value. */
export function tableIn(format: Format | undefined): TableFormat | undefined {
  if (format?.type === 'table') return format;
  return format?.type === 'tables' ? format.items : undefined;
}

/** A table, and where it is in the document. */
export interface ConformedTable<Keys extends Entries> {
  readonly path: TomlPath;
  readonly keys: { readonly [Key in keyof Keys]?: Conformed<Keys[Key]['format']> };
}

/** The tables in a table whose names are the user's own, in the order of the file. */
export interface OtherTables<Keys extends Entries> {
  readonly others: ReadonlyMap<string, ConformedTable<Keys>>;
}

/** A table with free keys, in the order of the file. */
export interface ConformedMap<Item> {
  readonly path: TomlPath;
  readonly entries: ReadonlyMap<string, Item>;
}

/**
 * A value that is there in any document that fits its format.
 *
 * @throws Error when it is missing anyway, which is a bug
 */
export function required<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('a document that fits its format lacks a required value');
  return value;
}
