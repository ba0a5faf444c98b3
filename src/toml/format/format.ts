import { type Advice, writing } from '../../diagnostics/index.js';
import type { TomlPath } from '../positions/node.js';

/*
 * What a TOML file may hold, as plain data: the loader that checks a document
 * and the JSON Schema that an editor uses are both derived from it.
 */

export type Format =
  | StringFormat
  | IntegerFormat
  | ScalarFormat
  | EnumFormat
  | EnumOrBooleanFormat
  | ArrayFormat
  | TableFormat
  | TablesFormat
  | TableOrTablesFormat
  | MapFormat;

export interface StringFormat {
  readonly type: 'string';
  /** What to write in place of a value of another type, where quotes are not the answer. */
  readonly hint?: (written: string) => Advice;
  /** There is something in it other than white space. */
  readonly nonEmpty?: boolean;
  /** What editors hold it to, as a regular expression; a rule says what is wrong in words. */
  readonly pattern?: string;
}

export interface IntegerFormat {
  readonly type: 'integer';
  readonly min?: bigint;
  readonly max?: bigint;
}

/** A `number` is an integer or a float; a `scalar` one of these, a string or a boolean. */
export interface ScalarFormat<Type = 'boolean' | 'number' | 'scalar'> {
  readonly type: Type;
}

export interface EnumFormat<Option extends string = string> {
  readonly type: 'enum';
  readonly options: readonly Option[];
  /** What else people write for an option. */
  readonly words?: Readonly<Record<string, string>>;
}

/** One of a set of strings, or true or false. */
export interface EnumOrBooleanFormat<Option extends string = string> {
  readonly type: 'enum or boolean';
  readonly options: readonly Option[];
}

export interface ArrayFormat<Items extends Format = Format> {
  readonly type: 'array';
  readonly items: Items;
  /** What to write in place of a value of another type, where brackets are not the answer. */
  readonly hint?: (written: string) => Advice | undefined;
}

export interface TableFormat<Keys extends Entries = Entries> {
  readonly type: 'table';
  readonly keys: Keys;
}

export interface TablesFormat<Keys extends Entries = Entries> {
  readonly type: 'tables';
  readonly items: TableFormat<Keys>;
  readonly atLeast?: 1;
}

export interface TableOrTablesFormat<Keys extends Entries = Entries> {
  readonly type: 'table or tables';
  readonly items: TableFormat<Keys>;
}

export interface MapFormat<Items extends Format = Format> {
  readonly type: 'map';
  readonly items: Items;
}

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
  /** Names of what is true where this boolean is false. */
  readonly opposites?: readonly string[];
}

/** Whether a table without the key is incomplete. */
export function isRequired({ required, format }: Entry): boolean {
  return required === true || (format.type === 'tables' && format.atLeast !== undefined);
}

/** A value that TOML and JSON write alike. */
export type LiteralFormat = string | number | boolean | readonly LiteralFormat[];

export function string(options: Omit<StringFormat, 'type'> = {}): StringFormat {
  return { type: 'string', ...options };
}

/** An integer within bounds, both included. */
export function integer(options: Omit<IntegerFormat, 'type'> = {}): IntegerFormat {
  return { type: 'integer', ...options };
}

export const boolean: ScalarFormat<'boolean'> = { type: 'boolean' };
export const number: ScalarFormat<'number'> = { type: 'number' };
export const anyScalar: ScalarFormat<'scalar'> = { type: 'scalar' };

export function enumOf<const Option extends string>(
  options: readonly Option[],
  words?: Readonly<Record<string, string>>,
): EnumFormat<Option> {
  return { type: 'enum', options, ...(words && { words }) };
}

/** One of a set of strings, or true or false. */
export function enumOrBoolean<const Option extends string>(
  options: readonly Option[],
): EnumOrBooleanFormat<Option> {
  return { type: 'enum or boolean', options };
}

/** An array whose elements all have one format. */
export function array<Items extends Format>(
  items: Items,
  options: Pick<ArrayFormat, 'hint'> = {},
): ArrayFormat<Items> {
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
export function table<Keys extends Entries>(keys: Keys): TableFormat<Keys> {
  return { type: 'table', keys };
}

/** An array of tables: `[[key]]`. With `atLeast`, neither absent nor empty. */
export function tables<Keys extends Entries>(
  items: TableFormat<Keys>,
  options: { readonly atLeast?: 1 } = {},
): TablesFormat<Keys> {
  return { type: 'tables', items, ...options };
}

/** One table, or an array of them. */
export function tableOrTables<Keys extends Entries>(
  items: TableFormat<Keys>,
): TableOrTablesFormat<Keys> {
  return { type: 'table or tables', items };
}

/** A table with keys of the user's own, whose values all have one format. */
export function map<Items extends Format>(items: Items): MapFormat<Items> {
  return { type: 'map', items };
}

/**
 * The values of a document that fit a format. What did not fit is absent, also
 * required keys; an element that did not fit is `undefined`, so that indexes
 * stay those of the file.
 */
export type Conformed<F extends Format> = F extends StringFormat
  ? string
  : F extends IntegerFormat
    ? bigint
    : F extends ScalarFormat<'boolean'>
      ? boolean
      : F extends ScalarFormat<'number'>
        ? bigint | number
        : F extends ScalarFormat<'scalar'>
          ? string | bigint | number | boolean
          : F extends EnumFormat<infer Option>
            ? Option
            : F extends EnumOrBooleanFormat<infer Option>
              ? Option | boolean
              : F extends ArrayFormat<infer Items>
                ? readonly (Conformed<Items> | undefined)[]
                : F extends TableFormat<infer Keys>
                  ? ConformedTable<Keys>
                  : F extends TablesFormat<infer Keys> | TableOrTablesFormat<infer Keys>
                    ? readonly (ConformedTable<Keys> | undefined)[]
                    : F extends MapFormat<infer Items>
                      ? ConformedMap<Conformed<Items>>
                      : never;

/** A table, and where it is in the document. */
export interface ConformedTable<Keys extends Entries> {
  readonly path: TomlPath;
  readonly keys: { readonly [Key in keyof Keys]?: Conformed<Keys[Key]['format']> };
}

/** A table with free keys, in the order of the file. */
export interface ConformedMap<Item> {
  readonly path: TomlPath;
  readonly entries: ReadonlyMap<string, Item>;
}

/**
 * A value that a document has which fits its format.
 *
 * @throws Error when it is missing all the same, which is a bug
 */
export function required<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('a document that fits its format lacks a required value');
  return value;
}
