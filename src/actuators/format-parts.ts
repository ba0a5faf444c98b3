import { quote, type ReportFn, type Violation } from '../diagnostics/index.js';
import {
  type Conformed,
  enumOf,
  map,
  string,
  type TableFormat,
  type TomlDocument,
  type TomlPath,
} from '../toml/index.js';
import { durationHint, durationViolation, toMs } from '../values/index.js';
import type { Placeholders } from './template.js';

/** The format of one kind of actuator in a manifest, and functions for it. */
export interface KindFormat<Draft, Actuator> {
  /** The format of `[mutator.actuator]`. */
  readonly format: TableFormat;
  /** Returns the actuator of a table without findings. */
  readonly read: (draft: Draft, placeholders: Placeholders) => Actuator;
  /** Reports keys that only some values of other keys require. */
  readonly checkKeys?: (document: TomlDocument, draft: Draft, report: ReportFn) => void;
  /** Reports invalid values of the right type. */
  readonly checkValues: (document: TomlDocument, draft: Draft, report: ReportFn) => void;
  /** True if values reach the system only in place of placeholders. */
  readonly placeholdersOnly?: true;
  /** Returns the texts that may contain placeholders. */
  readonly sites: (draft: Draft) => readonly PlaceholderSite[];
  /** Returns the texts that take values from environment variables, which may be secrets. */
  readonly secrets: (actuator: Actuator) => readonly string[];
  /** Returns the environment variable in which the system gets the parameter with a key. */
  readonly variableOf?: (key: string) => string;
}

/** An actuator's table, with the keys that fit the format of its kind. */
export interface KindDraft<Kind, Format extends TableFormat> {
  readonly kind: Kind;
  readonly path: TomlPath;
  readonly keys: Conformed<Format>['keys'];
}

/** A text of an actuator, and the placeholders that it may contain. */
export interface PlaceholderSite {
  readonly path: TomlPath;
  readonly text: string;
  readonly takes: 'parameters' | 'environment' | 'nothing';
}

/** Returns a site for each text that is present. */
export function siteOf(
  path: TomlPath,
  text: string | undefined,
  takes: PlaceholderSite['takes'],
): PlaceholderSite[] {
  return text === undefined ? [] : [{ path, text, takes }];
}

/** The default timeout of an action. */
const DEFAULT_TIMEOUT = { text: '10s', ms: 10_000 } as const;

export const timeout = {
  format: string({ hint: durationHint }),
  default: DEFAULT_TIMEOUT.text,
  description: 'Timeout for an injection or a reset, as a duration.',
} as const;

/** Returns the milliseconds of a timeout without findings. */
export function timeoutOf(text: string | undefined): number {
  return toMs(text) ?? DEFAULT_TIMEOUT.ms;
}

/** Reports a violation if the text at a path is not a duration. */
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
    description: `Environment variables for ${receivers}, in addition to Perturb's own. \`{env:NAME}\` in a value stands for one of Perturb's own: keys and tokens of the server are passed on only in this way.`,
  }) as const;

/** A table of texts by name. */
type Texts = { readonly path: TomlPath; readonly entries: ReadonlyMap<string, string> } | undefined;

/** Returns texts that may take values from environment variables, by name. */
export function textsByName(table: Texts): ReadonlyMap<string, string> {
  return new Map(table?.entries);
}

/** Returns the texts of a table that may take values from environment variables. */
export function variableSites(table: Texts): PlaceholderSite[] {
  if (table === undefined) return [];
  return [...table.entries].flatMap(([name, text]) =>
    siteOf([...table.path, name], text, 'environment'),
  );
}

/** Reports invalid names of environment variables. */
export function checkVariables(document: TomlDocument, env: Texts, report: ReportFn): void {
  for (const name of env?.entries.keys() ?? []) {
    if (name !== '' && !name.includes('=')) continue;
    report({
      message: `${quote(name)} is not the name of an environment variable`,
      span: document.keySpan([...(env?.path ?? []), name]),
    });
  }
}

/** Returns the violation of a table that lacks a key. */
export function missingKeyViolation(
  document: TomlDocument,
  path: TomlPath,
  key: string,
  help: string,
): Violation {
  return { message: `missing key "${key}"`, help, span: document.valueSpan(path) };
}

/** Returns the texts of an array without findings. */
export function textsOf(elements: readonly (string | undefined)[] | undefined): string[] {
  return (elements ?? []).filter((text) => text !== undefined);
}
