import { quote, type ReportFn, type Violation } from '../diagnostics/index.js';
import {
  type ConformingValues,
  enumOf,
  map,
  string,
  type TableFormat,
  type TomlDocument,
  type TomlPath,
} from '../toml/index.js';
import { durationHint, durationViolation, toMs } from '../values/index.js';
import type { Placeholders } from './template.js';

/** The manifest format of an actuator kind, with its functions. */
export interface KindFormat<Draft, Actuator> {
  /** The format of `[mutator.actuator]`. */
  readonly format: TableFormat;
  /** Converts a valid table to an actuator. */
  readonly read: (draft: Draft, placeholders: Placeholders) => Actuator;
  /** Reports missing keys that are required only with certain values of other keys. */
  readonly checkKeys?: (document: TomlDocument, draft: Draft, report: ReportFn) => void;
  /** Reports invalid values of the correct type. */
  readonly checkValues: (document: TomlDocument, draft: Draft, report: ReportFn) => void;
  /** True if the system receives parameter values only through placeholders. */
  readonly placeholdersOnly?: true;
  /** Returns the actuator's texts that may contain placeholders. */
  readonly sites: (draft: Draft) => readonly PlaceholderSite[];
  /** Returns the actuator's texts with environment variables, whose values may be secret. */
  readonly secrets: (actuator: Actuator) => readonly string[];
  /** Returns the name of the environment variable for a parameter's value, given the parameter's key. */
  readonly variableOf?: (key: string) => string;
}

/** An actuator's table, with the keys that conform to the format of its kind. */
export interface KindDraft<Kind, Format extends TableFormat> {
  readonly kind: Kind;
  readonly path: TomlPath;
  readonly keys: ConformingValues<Format>['keys'];
}

/** An actuator's text, and the kind of placeholders that it may contain. */
export interface PlaceholderSite {
  readonly path: TomlPath;
  readonly text: string;
  readonly takes: 'parameters' | 'environment' | 'nothing';
}

/** Returns a text's placeholder site; empty if the text is undefined. */
export function siteOf(
  path: TomlPath,
  text: string | undefined,
  takes: PlaceholderSite['takes'],
): PlaceholderSite[] {
  return text === undefined ? [] : [{ path, text, takes }];
}

/** Default timeout for an injection or a reset. */
const DEFAULT_TIMEOUT = { text: '10s', ms: 10_000 } as const;

export const timeoutEntry = {
  format: string({ hint: durationHint }),
  default: DEFAULT_TIMEOUT.text,
  description: 'Timeout for an injection or a reset, as a duration.',
} as const;

/** Returns a valid timeout in milliseconds, or the default. */
export function timeoutOf(text: string | undefined): number {
  return toMs(text) ?? DEFAULT_TIMEOUT.ms;
}

/** Reports the text at a path if it is not a duration. */
export function checkDuration(
  document: TomlDocument,
  path: TomlPath,
  text: string | undefined,
  report: ReportFn,
): void {
  const violation = durationViolation(text, () => document.embed(path));
  if (violation === undefined) return;
  report(text === '' ? { ...violation, span: document.valueSpan(path) } : violation);
}

export const kindEntry = <const Kind extends string>(name: Kind, description: string) =>
  ({ format: enumOf([name]), required: true, description, example: name }) as const;

export const pathEntry = (noun: string, example: string) =>
  ({
    format: string({ nonEmpty: true }),
    required: true,
    description: `${noun}, relative to the manifest's directory.`,
    example,
  }) as const;

export const environmentEntry = (receivers: string) =>
  ({
    format: map(string()),
    description: `Environment variables for ${receivers}, in addition to Perturb's own. \`{env:NAME}\` in a value stands for one of Perturb's own variables. The server's keys and tokens are passed on only in this way.`,
  }) as const;

/** A table of texts, by name. */
type Texts = { readonly path: TomlPath; readonly entries: ReadonlyMap<string, string> } | undefined;

/** Returns a table's texts, by name. */
export function textsByName(table: Texts): ReadonlyMap<string, string> {
  return new Map(table?.entries);
}

/** Returns placeholder sites for a table's texts, which may contain environment variables. */
export function variableSites(table: Texts): PlaceholderSite[] {
  if (table === undefined) return [];
  return [...table.entries].flatMap(([name, text]) =>
    siteOf([...table.path, name], text, 'environment'),
  );
}

/** Reports invalid environment variable names. */
export function checkVariables(document: TomlDocument, env: Texts, report: ReportFn): void {
  for (const name of env?.entries.keys() ?? []) {
    if (name !== '' && !name.includes('=')) continue;
    report({
      message: `${quote(name)} is not a valid environment variable name`,
      span: document.keySpan([...(env?.path ?? []), name]),
    });
  }
}

/** Returns the violation for a table with a missing key. */
export function missingKeyViolation(
  document: TomlDocument,
  path: TomlPath,
  key: string,
  help: string,
): Violation {
  return { message: `missing key "${key}"`, help, span: document.valueSpan(path) };
}

/** Returns the texts of a valid array. */
export function textsOf(elements: readonly (string | undefined)[] | undefined): string[] {
  return (elements ?? []).filter((text) => text !== undefined);
}
