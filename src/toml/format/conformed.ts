import type { TomlPath } from '../positions/value.js';
import type {
  ArrayFormat,
  BooleanFormat,
  Entries,
  EnumFormat,
  Format,
  IntegerFormat,
  MapFormat,
  NumberFormat,
  ScalarFormat,
  StringFormat,
  TableFormat,
  TableOrTablesFormat,
  TablesFormat,
} from './format.js';

/**
 * The values of a document that fit a format. What did not fit is absent, also
 * required keys; an element that did not fit is `undefined`, so that indexes
 * stay those of the file.
 */
export type Conformed<F extends Format> = F extends StringFormat
  ? string
  : F extends IntegerFormat
    ? bigint
    : F extends BooleanFormat
      ? boolean
      : F extends NumberFormat
        ? bigint | number
        : F extends ScalarFormat
          ? string | bigint | number | boolean
          : F extends EnumFormat<infer Option>
            ? Option
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
