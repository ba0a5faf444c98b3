import { CompletionItemKind } from 'vscode-languageserver/node';
import { LEVELS } from '../../diagnostics/index.js';
import { type CatalogMutator, mutatorsNamed } from '../../mutators/index.js';
import type { Format, TomlPath } from '../../toml/index.js';
import { formatAt, keysOf } from '../toml-place.js';
import type { View } from '../view.js';
import type { Candidate, Candidates } from './completion.js';

/*
 * What is being completed is half typed, so this goes by lines: the last header above the cursor
 * and the line up to it.
 */

const HEADER = /^[ \t]*(\[\[?)([\w.-]*)$/;
const KEY = /^[ \t]*([\w-]*)$/;
const VALUE = /^[ \t]*([\w.-]+|"[^"]+")[ \t]*=[ \t]*(.*)$/;

/** What fits at an offset of the TOML around expressions: headers, keys and values. */
export function completeToml(view: View, offset: number): Candidates | undefined {
  const { kind, file } = view.snapshot;
  const lineStart = file.text.lastIndexOf('\n', offset - 1) + 1;
  const line = file.text.slice(lineStart, offset);
  const above = file.text.slice(0, lineStart);
  const header = HEADER.exec(line);
  if (header !== null) {
    const [, brackets = '', typed = ''] = header;
    return {
      replaces: { start: offset - typed.length, end: offset },
      all: headersOf(formatAt(kind, []), '', brackets === '[[', view),
    };
  }
  const path = headerAbove(above);
  const format = formatAt(kind, path);
  if (format === undefined) return undefined;
  const key = KEY.exec(line);
  if (key !== null) {
    const start = offset - (key[1] ?? '').length;
    return { replaces: { start, end: offset }, all: keysFor(view, format, path, lineStart) };
  }
  const value = VALUE.exec(line);
  if (value === null) return undefined;
  const [, name = '', typed = ''] = value;
  const word = /["']?[^"',[\]\s=]*$/.exec(typed)?.[0] ?? '';
  const behind = /^[^"',\]\n]*["']?/.exec(file.text.slice(offset))?.[0] ?? '';
  const isQuoted = /^["']/.test(word);
  const end = isQuoted && /["']$/.test(behind) ? offset + behind.length : offset;
  const values = valuesFor(view, [...path, name.replaceAll('"', '')], offset);
  return { replaces: { start: offset - word.length, end }, all: values };
}

/** The path of the last header in a text, with an index for each array of tables on it. */
function headerAbove(text: string): TomlPath {
  const header = [...text.matchAll(/^[ \t]*(\[\[?)[ \t]*([\w."-]+)[ \t]*\]/gm)].at(-1);
  if (header === undefined) return [];
  return (header[2] as string).split('.').map((part) => part.replaceAll('"', ''));
}

function headersOf(
  format: Format | undefined,
  prefix: string,
  arrays: boolean,
  view: View,
): Candidate[] {
  if (format === undefined) return [];
  return Object.entries(keysOf(format)).flatMap(([key, entry]) => {
    const { type } = entry.format;
    const fits = arrays ? type.endsWith('tables') : type === 'table' || type === 'map';
    const own = fits
      ? [{ label: prefix + key, kind: CompletionItemKind.Class, detail: entry.description }]
      : [];
    return [...own, ...headersOf(entry.format, `${prefix}${key}.`, arrays, view)];
  });
}

/** The keys of a table that are not written yet. */
function keysFor(view: View, format: Format, path: TomlPath, lineStart: number): Candidate[] {
  if (path.join('.') === 'lint.rules') {
    return view.rules.map(({ id, summary }) => ({
      label: id,
      kind: CompletionItemKind.Property,
      detail: summary,
      text: `"${id}" = `,
    }));
  }
  const written = writtenKeys(view.snapshot.file.text, lineStart);
  return Object.entries(keysOf(format))
    .filter(([key]) => !written.has(key))
    .map(
      ([
        label,
        {
          description,
          format: { type },
        },
      ]) => ({
        label,
        kind: CompletionItemKind.Property,
        detail: description,
        text: type === 'tables' ? label : `${label} = `,
      }),
    );
}

/** The keys of the table whose lines an offset is among. */
function writtenKeys(text: string, offset: number): ReadonlySet<string> {
  const isHeader = /^[ \t]*\[/;
  const before = text.slice(0, offset).split('\n').reverse();
  const after = text.slice(offset).split('\n').slice(1);
  const keys = new Set<string>();
  for (const lines of [before, after]) {
    for (const line of lines) {
      if (isHeader.test(line)) break;
      const key = /^[ \t]*([\w-]+)[ \t]*=/.exec(line)?.[1];
      if (key !== undefined) keys.add(key);
    }
  }
  return keys;
}

function valuesFor(view: View, path: TomlPath, offset: number): Candidate[] {
  const { kind } = view.snapshot;
  const name = path.join('.');
  if (kind === 'config' && name.startsWith('lint.rules.')) return LEVELS.map(quoted);
  if (kind === 'objective' && view.catalog !== undefined) {
    const known = fromCatalog(view, name, offset);
    if (known !== undefined) return known;
  }
  const format = formatAt(kind, path);
  const items = format?.type === 'array' ? format.items : format;
  if (items?.type === 'enum') return items.options.map(quoted);
  if (items?.type === 'boolean') return ['true', 'false'].map(plain);
  return [];
}

/** What the catalog has for a value of an objective; undefined where it has no say. */
function fromCatalog(view: View, name: string, offset: number): Candidate[] | undefined {
  const catalog = view.catalog as NonNullable<View['catalog']>;
  const above = view.snapshot.file.text.slice(0, offset);
  const lastValue = (header: string, key: string): string | undefined => {
    const table = above.slice(Math.max(0, above.lastIndexOf(header)));
    return new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*["']([^"']*)["']`, 'm').exec(table)?.[1];
  };
  const selected = (): readonly CatalogMutator[] => {
    const mutator = lastValue('[[mutator]]', 'name');
    if (mutator === undefined) return [];
    return mutatorsNamed(catalog, mutator, lastValue('[[mutator]]', 'probe'));
  };
  switch (name) {
    case 'mutator.name':
      return [...catalog.byName.keys()].map(quoted);
    case 'mutator.probe':
      return selected().flatMap(({ probe }) => (probe === undefined ? [] : [quoted(probe)]));
    case 'mutation_constraints.mutator_tags':
      return [...catalog.tags].map(quoted);
    case 'mutator.param_constraints.name':
      return selected().flatMap(({ parameters }) => parameters.map((one) => quoted(one.name)));
    case 'mutator.param_constraints.enum_options': {
      const param = lastValue('[[mutator.param_constraints]]', 'name');
      return selected()
        .flatMap(({ parameters }) => parameters.filter((one) => one.name === param))
        .flatMap(({ options = [] }) => options.map((option) => quoted(option.name)));
    }
    default:
      return undefined;
  }
}

function quoted(label: string): Candidate {
  return { label, kind: CompletionItemKind.Value, text: JSON.stringify(label) };
}

function plain(label: string): Candidate {
  return { label, kind: CompletionItemKind.Value };
}
