import { Argument, InvalidArgumentError, Option } from 'commander';
import { findNearestWord } from '../../diagnostics/index.js';

/** A key that carries only a type, without a value. */
declare const gives: unique symbol;

/** An option that adds `Flags` to the parsed flags. */
export type OptionOf<Flags extends object = object> = Option & { readonly [gives]?: Flags };

/** An argument whose parsed value is a `Value`. */
export type ArgumentOf<Value = unknown> = Argument & { readonly [gives]?: Value };

/** The parsed flags of a tuple of options. */
export type FlagsOf<Options extends readonly OptionOf[]> = Options extends readonly [
  OptionOf<infer First>,
  ...infer Rest extends readonly OptionOf[],
]
  ? First & FlagsOf<Rest>
  : unknown;

/** The parsed values of a tuple of arguments. */
export type ArgsOf<Args extends readonly ArgumentOf[]> = {
  readonly [At in keyof Args]: Args[At] extends ArgumentOf<infer Value> ? Value : never;
};

type Long<Text> = Text extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type Camel<Name> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<Camel<Rest>>}`
  : Name;

/** An option's key in the parsed flags, such as `apiKeyEnv` for `--api-key-env <name>`. */
type Key<Text> = Long<Text> extends `no-${infer Name}` ? Camel<Name> : Camel<Long<Text>>;

/** The value type of an option without a parser. */
type Plain<Text> = Text extends `${string}...>`
  ? readonly string[]
  : Text extends `${string}<${string}`
    ? string
    : true;

/** An option that always has a value. */
export type PresentOption<Text, Value> = OptionOf<{ readonly [_ in Key<Text> & string]: Value }>;

type Perhaps<Text, Value> = Text extends `--no-${string}`
  ? PresentOption<Text, boolean>
  : OptionOf<{ readonly [_ in Key<Text> & string]?: Value }>;

interface Details<Value> {
  /** Parses the word that the user typed. */
  readonly read?: (word: string) => Value;
  readonly choices?: readonly (Value & string)[];
  readonly byDefault?: NoInfer<Value>;
  /** The default shown in the help, if it differs from `byDefault`. */
  readonly shownDefault?: string;
  readonly isRequired?: boolean;
}

/**
 * Declares an option, as in `--out <file>`. The text determines the option's key. The text and the
 * details determine its type.
 */
export function option<const Text extends string, const Value = Plain<Text>>(
  text: Text,
  description: string,
  details: Details<Value> &
    ({ readonly byDefault: NoInfer<Value> } | { readonly isRequired: true }),
): PresentOption<Text, Value>;
export function option<const Text extends string, const Value = Plain<Text>>(
  text: Text,
  description: string,
  details?: Details<Value>,
): Perhaps<Text, Value>;
export function option(
  text: string,
  description: string,
  { read, choices, byDefault, shownDefault, isRequired = false }: Details<unknown> = {},
): Option {
  const declared = new Option(text, description);
  if (choices !== undefined) {
    declared.choices(choices).argParser((word: string) => readChoice(word, choices));
  }
  const path = pathReader(text);
  const parse = path === undefined ? read : (word: string) => (read ?? String)(path(word));
  if (parse !== undefined) declared.argParser(parse);
  return declared.default(byDefault, shownDefault).makeOptionMandatory(isRequired);
}

/**
 * Declares a repeatable option.
 *
 * @param none the default shown in the help
 * @param read parses each word; by default, the word is the value
 */
export function repeatedOption<const Text extends string>(
  text: Text,
  description: string,
  none: string,
): PresentOption<Text, readonly string[]>;
export function repeatedOption<const Text extends string, Value>(
  text: Text,
  description: string,
  none: string,
  read: (word: string, before: readonly Value[]) => Value,
): PresentOption<Text, readonly Value[]>;
export function repeatedOption(
  text: string,
  description: string,
  none: string,
  read: (word: string, before: readonly string[]) => string = pathReader(text) ?? String,
): Option {
  return new Option(text, description)
    .argParser((word: string, before: readonly string[]) => [...before, read(word, before)])
    .default([], none);
}

/**
 * Returns the choice named by a word.
 *
 * @param note a suffix for the list of choices in the error message
 * @throws InvalidArgumentError for any other word, with the nearest choice if it is similar
 */
export function readChoice<Choice extends string>(
  word: string,
  choices: readonly Choice[],
  note = '',
): Choice {
  const choice = choices.find((one) => one === word);
  if (choice !== undefined) return choice;
  const near = findNearestWord(word, choices);
  const meant = near === undefined ? '' : `\n(Did you mean ${near}?)`;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}${note}.${meant}`);
}

/**
 * Returns a parser for an option's path; undefined for an option without a path. The parser refuses
 * a flag, because the user probably forgot the path, as in `--resume --out runs/2`. It accepts `-`.
 */
function pathReader(text: string): ((word: string) => string) | undefined {
  const noun = /<(directory|path|file|source)>$/.exec(text)?.[1];
  if (noun === undefined) return undefined;
  return (word) => {
    if (word === '') throw new InvalidArgumentError(`Expected a ${noun}.`);
    if (!/^-./.test(word)) return word;
    throw new InvalidArgumentError(
      `Expected a ${noun}. For a path that starts with -, write ./${word}.`,
    );
  };
}

type Taken<Text> = Text extends `${string}...${string}`
  ? readonly string[]
  : Text extends `[${string}`
    ? string | undefined
    : string;

/**
 * Declares an argument: `<file>`, `[file]`, `<file...>` or `[file...]`.
 *
 * @param shownDefault the default shown in the help, if it differs from `byDefault`
 */
export function argument<const Text extends string>(
  text: Text,
  description: string,
  byDefault: NonNullable<Taken<Text>>,
  shownDefault?: string,
): ArgumentOf<NonNullable<Taken<Text>>>;
export function argument<const Text extends string>(
  text: Text,
  description: string,
): ArgumentOf<Taken<Text>>;
export function argument(
  text: string,
  description: string,
  byDefault?: unknown,
  shownDefault?: string,
): Argument {
  return new Argument(text, description).default(byDefault, shownDefault);
}
