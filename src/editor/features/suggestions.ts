import { CompletionItemKind } from 'vscode-languageserver/node';
import { LEVELS, type Level } from '../../diagnostics/index.js';
import { printName, printPlace } from '../../expression/index.js';
import {
  ACTUATOR_SUMMARIES,
  type CatalogMutator,
  findMutators,
  type Parameter,
} from '../../mutators/index.js';
import type { Span } from '../../source/index.js';
import { type Format, isTable, type LiteralValue, writeString } from '../../toml/index.js';
import { defined } from '../../values/index.js';
import { entryAt, formatAt, keysOf } from '../toml-element.js';
import type { View } from '../view.js';
import { describeEntry, describeMutator, describeParameter } from './describe.js';

/** A word that can be inserted at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly kind: CompletionItemKind;
  /** A description in Markdown. */
  readonly description?: string;
  /** The number of recorded events, as text. Suggestions with a number keep their order. */
  readonly detail?: string;
  /** The inserted text, if it differs from the label. */
  readonly text?: string;
}

/** The suggestions at a position, and the characters that they replace. */
export interface Suggestions {
  readonly replaces: Span;
  readonly all: readonly Suggestion[];
}

/** Returns a suggestion for a string with its quotes. */
function quotedSuggestion(label: string): Suggestion {
  return { ...plainSuggestion(label), text: writeString(label) ?? JSON.stringify(label) };
}

/** Returns a suggestion for a name in an expression, in backquotes if it is not a plain word. */
export function nameSuggestion(text: string, kind: CompletionItemKind): Suggestion {
  return { label: text, kind, text: printName({ text }) };
}

/** Returns a suggestion for an event or a probe next to `@`, in quotes if backquotes cannot contain it. */
export function placeSuggestion(text: string, kind: CompletionItemKind): Suggestion {
  return { label: text, kind, text: printPlace({ text }) };
}

/** Returns a suggestion for a value without quotes. */
export function plainSuggestion(label: string): Suggestion {
  return { label, kind: CompletionItemKind.Value };
}

/** The completion position, and the file's format. */
export interface CompletionPosition {
  readonly view: View;
  readonly offset: number;
  readonly format: Format;
  /** The offset where the current string starts. */
  readonly quote: number | undefined;
}

/** Returns suggestions for a file's headers, either for arrays of tables or for single tables. */
export function headersIn(format: Format, prefix: string, arrays: boolean): Suggestion[] {
  return Object.entries(keysOf(format)).flatMap(([key, entry]) => {
    const path = prefix + key;
    const header = {
      label: path,
      kind: CompletionItemKind.Class,
      description: describeEntry(entry),
    };
    const { type } = entry.format;
    const hasHeader = arrays ? type === 'tables' : type === 'table' || type === 'map';
    return [...(hasHeader ? [header] : []), ...headersIn(entry.format, `${path}.`, arrays)];
  });
}

/**
 * Returns suggestions for the keys still missing from a table.
 *
 * @param braces the inline table's text up to the cursor; undefined outside an inline table
 */
export function keysIn(
  { view, offset }: CompletionPosition,
  table: Format,
  path: readonly string[],
  braces: string | undefined,
): Suggestion[] {
  const rest = view.snapshot.file.text.slice(offset);
  const sign = /^[\w./-]*["']?[ \t]*=/.test(rest) ? '' : ' = ';
  if (isLevels(view, path)) {
    return view.rules.map(({ id, summary, severity }) => ({
      label: id,
      kind: CompletionItemKind.Property,
      description: `${summary} (${severity})`,
      text: `"${id}"${sign}`,
    }));
  }
  const { text } = view.snapshot.file;
  const existingKeys =
    braces === undefined
      ? writtenKeys(text, offset)
      : new Set(Array.from(braces.matchAll(/([\w-]+)[ \t]*=/g), ([, key]) => key));
  return Object.entries(keysOf(table))
    .filter(([key]) => !existingKeys.has(key))
    .map(([label, entry]) => ({
      label,
      kind: CompletionItemKind.Property,
      description: describeEntry(entry),
      text:
        entry.format.type === 'tables' ? `[[${[...path, label].join('.')}]]` : `${label}${sign}`,
    }));
}

/** Returns the keys already in the table around an offset. */
function writtenKeys(text: string, offset: number): ReadonlySet<string> {
  const isHeader = /^[ \t]*\[/;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const linesBefore = text.slice(0, lineStart).split('\n').reverse();
  const linesAfter = text.slice(lineStart).split('\n').slice(1);
  const keys = new Set<string>();
  for (const lines of [linesBefore, linesAfter]) {
    for (const line of lines) {
      if (isHeader.test(line)) break;
      const key = /^[ \t]*([\w-]+)[ \t]*=/.exec(line)?.[1];
      if (key !== undefined) keys.add(key);
    }
  }
  return keys;
}

const LEVEL_MEANINGS: Readonly<Record<Level, string>> = {
  off: 'The rule is off.',
  warn: 'Findings are warnings.',
  error: 'Findings are errors.',
};

/** Returns suggestions for a key's value, or for the elements of its array. */
export function valuesAt(position: CompletionPosition, path: readonly string[]): Suggestion[] {
  const { view, format, offset } = position;
  if (isLevels(view, path.slice(0, -1))) {
    return LEVELS.map((level) => ({
      ...quotedSuggestion(level),
      description: LEVEL_MEANINGS[level],
    }));
  }
  const values =
    fromCatalog(view, path.join('.'), offset) ?? parametersFromFile(view, path.join('.'));
  if (values !== undefined) return values;
  const entry = entryAt(format, path);
  const value = formatAt(format, path);
  const items = value?.type === 'array' ? value.items : value;
  if (items?.type === 'enum') {
    return items.options.map((option) => optionSuggestion(option, path));
  }
  if (items?.type === 'boolean') return ['true', 'false'].map(plainSuggestion);
  return [entry?.default, entry?.example].flatMap((literal) =>
    literal === undefined ? [] : literalsIn(literal, value?.type === 'array'),
  );
}

function isLevels({ snapshot }: View, path: readonly string[]): boolean {
  return snapshot.kind === 'config' && path.join('.') === 'lint.rules';
}

/**
 * Returns the file's server names as suggestions for `lint.mutators` or `run.servers`, and
 * `mutators.toml` for `lint.mutators`. Returns undefined for any other path.
 */
function parametersFromFile({ snapshot }: View, path: string): Suggestion[] | undefined {
  const { kind, document } = snapshot;
  if (kind !== 'config' || !['lint.mutators', 'run.servers'].includes(path)) return undefined;
  const servers = document?.root['servers'];
  const names = isTable(servers) ? Object.keys(servers) : [];
  const files = path === 'lint.mutators' ? ['mutators.toml'] : [];
  return [...names, ...files].map(quotedSuggestion);
}

function optionSuggestion(option: string, path: readonly string[]): Suggestion {
  const description = path.at(-1) === 'kind' ? ACTUATOR_SUMMARIES.get(option) : undefined;
  return { ...quotedSuggestion(option), ...defined({ description }) };
}

/** Returns suggestions from an example value, one for each string in an array. */
function literalsIn(literal: LiteralValue, isArray: boolean): Suggestion[] {
  const literals = isArray && typeof literal === 'object' ? literal : [literal];
  return literals.flatMap((literal) => {
    if (typeof literal === 'string') return [quotedSuggestion(literal)];
    return typeof literal === 'object' || isArray ? [] : [plainSuggestion(String(literal))];
  });
}

/**
 * Returns suggestions from the catalog for an objective's value; undefined for a key that the catalog does not
 * constrain.
 */
function fromCatalog(
  { catalog, snapshot }: View,
  name: string,
  offset: number,
): Suggestion[] | undefined {
  if (catalog === undefined || snapshot.kind !== 'objective') return undefined;
  const textAbove = snapshot.file.text.slice(0, offset);
  const lastValue = (header: string, key: string): string | undefined => {
    const start = textAbove.lastIndexOf(header);
    if (start === -1) return undefined;
    const pattern = new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*["']([^"']*)["']`, 'm');
    return pattern.exec(textAbove.slice(start))?.[1];
  };
  const selectMutators = (): readonly CatalogMutator[] => {
    const mutator = lastValue('[[mutator]]', 'name');
    if (mutator === undefined) return [];
    return findMutators(catalog, mutator, lastValue('[[mutator]]', 'probe'));
  };
  const parameters = (): readonly Parameter[] =>
    selectMutators().flatMap((mutator) => mutator.parameters);
  switch (name) {
    case 'mutator.name':
      return [...catalog.byName].map(([mutator, [first]]) => ({
        ...quotedSuggestion(mutator),
        ...(first && { description: describeMutator(first) }),
      }));
    case 'mutator.probe':
      return selectMutators().flatMap(({ probe }) =>
        probe === undefined ? [] : [quotedSuggestion(probe)],
      );
    case 'mutation_constraints.mutator_tags':
      return [...catalog.tags].map(quotedSuggestion);
    case 'mutator.param_constraints.name':
      return parameters().map((parameter) => ({
        ...quotedSuggestion(parameter.name),
        description: describeParameter(parameter),
      }));
    case 'mutator.param_constraints.enum_options': {
      const param = lastValue('[[mutator.param_constraints]]', 'name');
      return parameters()
        .filter((parameter) => parameter.name === param)
        .flatMap(({ options = [] }) => options.map((option) => quotedSuggestion(option.name)));
    }
    default:
      return undefined;
  }
}
