import { pathToFileURL } from 'node:url';
import {
  type DocumentHighlight,
  DocumentHighlightKind,
  type Location,
  type Range,
  type TextEdit,
} from 'vscode-languageserver/node';
import { lex } from '../../expression/index.js';
import { mutatorsNamed } from '../../mutators/index.js';
import { isTable, type TomlDocument, type TomlPath, type TomlTable } from '../../toml/index.js';
import {
  type ExpressionName,
  type ExpressionString,
  nameAt,
  namesOf,
  siteAt,
} from '../expressions.js';
import { placeAt, valueAt } from '../toml-place.js';
import { rangeOf, type View } from '../view.js';

interface LabelPlaces {
  readonly site: ExpressionString;
  readonly at: ExpressionName;
  /** Everywhere that the label is named in the expression, its pattern first where there is one. */
  readonly places: readonly ExpressionName[];
}

function labelAt({ snapshot }: View, offset: number): LabelPlaces | undefined {
  const site = siteAt(snapshot, offset);
  if (site === undefined) return undefined;
  const { text } = site.source;
  const at = nameAt(site, offset);
  if (at?.role !== 'label') return undefined;
  const places = namesOf(text).filter((name) => name.role === 'label' && name.text === at.text);
  return { site, at, places };
}

/** Where the label at an offset is bound. */
export function definitionAt(view: View, offset: number): Location | undefined {
  const label = labelAt(view, offset);
  const declaration = label?.places.find(({ declares }) => declares);
  if (label === undefined || declaration === undefined) return undefined;
  return { uri: view.uri, range: rangeOf(view, label.site.source.toFile(declaration.span)) };
}

/** Everywhere that the label at an offset is named in its expression. */
export function referencesAt(view: View, offset: number, withDeclaration: boolean): Location[] {
  const label = labelAt(view, offset);
  return (label?.places ?? [])
    .filter(({ declares }) => withDeclaration || !declares)
    .map(({ span }) => ({
      uri: view.uri,
      range: rangeOf(view, (label as LabelPlaces).site.source.toFile(span)),
    }));
}

/** The same, to be highlighted while the cursor is there. */
export function highlightsAt(view: View, offset: number): DocumentHighlight[] {
  const label = labelAt(view, offset);
  return (label?.places ?? []).map(({ span, declares }) => ({
    range: rangeOf(view, (label as LabelPlaces).site.source.toFile(span)),
    kind: declares ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
  }));
}

/** The label that can be renamed at an offset. */
export function renameableAt(
  view: View,
  offset: number,
): { readonly range: Range; readonly placeholder: string } | undefined {
  const label = labelAt(view, offset);
  if (label === undefined) return undefined;
  const range = rangeOf(view, label.site.source.toFile(label.at.span));
  return { range, placeholder: label.at.text };
}

/** Why a label cannot be renamed so. */
export class RenameError extends Error {}

/**
 * Renames the label at an offset, wherever its expression names it.
 *
 * @throws RenameError when the new name cannot be a label, or is one of the expression already
 */
export function renameAt(view: View, offset: number, newName: string): TextEdit[] {
  const label = labelAt(view, offset);
  if (label === undefined) return [];
  const { site, at, places } = label;
  const written = asName(newName);
  const isTaken = namesOf(site.source.text).some(
    ({ role, text }) => role === 'label' && text === newName && text !== at.text,
  );
  if (isTaken) throw new RenameError(`"${newName}" is already a label of this expression`);
  const text = site.source.write(written);
  if (text === undefined) throw new RenameError(`this string cannot hold "${newName}"`);
  return places.map(({ span }) => ({
    range: rangeOf(view, site.source.toFile(span)),
    newText: text,
  }));
}

/** A name as it is written in an expression: in backquotes where it is no plain word. */
function asName(name: string): string {
  for (const written of [name, `\`${name}\``]) {
    const [token, ...more] = lex(written).tokens;
    const isName = token?.type === 'identifier' || token?.type === 'quoted identifier';
    const isWhole = token?.start === 0 && token.end === written.length && more.length === 0;
    if (isName && isWhole) return written;
  }
  throw new RenameError(`"${name}" cannot be a label`);
}

/** The files that mutators are declared and used in. */
export interface MutatorFiles {
  /** The open documents. */
  views(): readonly View[];
  /** A file as it stands in the editor or else on disk; undefined where it is not TOML. */
  documentAt(path: string): TomlDocument | undefined;
}

/** A mutator, or a parameter of one, as a file names it. */
interface Named {
  readonly mutator: string;
  readonly probe?: string;
  readonly parameter?: string;
}

/** Where manifests declare the mutator or the parameter at an offset. */
export function mutatorDefinitionsAt(view: View, offset: number, files: MutatorFiles): Location[] {
  const named = namedAt(view, offset);
  return named === undefined ? [] : declarationsOf(view, named, files);
}

/** The open objectives that name the mutator or the parameter at an offset. */
export function mutatorReferencesAt(
  view: View,
  offset: number,
  withDeclaration: boolean,
  files: MutatorFiles,
): Location[] {
  const named = namedAt(view, offset);
  if (named === undefined) return [];
  const uses = files.views().flatMap((other) => usesIn(other, named));
  return [...(withDeclaration ? declarationsOf(view, named, files) : []), ...uses];
}

function namedAt({ snapshot }: View, offset: number): Named | undefined {
  const { kind, document } = snapshot;
  const place = document && placeAt(document, offset);
  if (document === undefined || place?.part !== 'value') return undefined;
  const [array, index, key, ...rest] = place.path;
  const mutator = valueAt(document.root, [array ?? '', index ?? '']);
  if (array !== 'mutator' || !isTable(mutator)) return undefined;
  const { name, probe, id } = mutator;
  const known = typeof name === 'string' ? name : id;
  if (typeof known !== 'string') return undefined;
  const named = { mutator: known, ...(typeof probe === 'string' && { probe }) };
  if (rest.length === 0 && (key === 'name' || (kind === 'manifest' && key === 'id'))) return named;
  const isParameter = key === (kind === 'manifest' ? 'param' : 'param_constraints');
  const parameter = valueAt(document.root, place.path);
  if (!isParameter || rest.at(-1) !== 'name' || typeof parameter !== 'string') return undefined;
  return { ...named, parameter };
}

function declarationsOf(view: View, named: Named, files: MutatorFiles): Location[] {
  if (view.snapshot.kind === 'manifest') {
    const { document } = view.snapshot;
    return document === undefined ? [] : placesIn(view, view.uri, document, named, 'param');
  }
  const { catalog } = view;
  const known = catalog && mutatorsNamed(catalog, named.mutator, named.probe);
  const origins = new Set(known?.map(({ origin }) => origin));
  return [...origins].flatMap((path) => {
    const document = path.endsWith('.toml') ? files.documentAt(path) : undefined;
    if (document === undefined) return [];
    return placesIn(view, pathToFileURL(path).href, document, named, 'param');
  });
}

function usesIn(view: View, named: Named): Location[] {
  const { document, kind } = view.snapshot;
  if (kind !== 'objective' || document === undefined) return [];
  return placesIn(view, view.uri, document, named, 'param_constraints');
}

/** Where the tables of a file have the name. One without a probe is at any. */
function placesIn(
  { positions }: View,
  uri: string,
  document: TomlDocument,
  { mutator, probe, parameter }: Named,
  key: string,
): Location[] {
  return tablesAt(document.root, ['mutator']).flatMap(([path, table]) => {
    const isMeant = (table['name'] ?? table['id']) === mutator;
    const isThere = [undefined, table['probe']].includes(probe) || table['probe'] === undefined;
    if (!isMeant || !isThere) return [];
    const tables: readonly (readonly [TomlPath, TomlTable])[] =
      parameter === undefined
        ? [[path, table]]
        : tablesAt(document.root, [...path, key]).filter(([, one]) => one['name'] === parameter);
    return tables.map(([at, one]) => {
      const span = document.valueSpan([...at, one['name'] === undefined ? 'id' : 'name']);
      return { uri, range: positions.toRange(document.file, span) };
    });
  });
}

/** The table at a path, or those of the array there. */
function tablesAt(root: TomlTable, path: TomlPath): readonly (readonly [TomlPath, TomlTable])[] {
  const value = valueAt(root, path);
  if (isTable(value)) return [[path, value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((one, index) => (isTable(one) ? [[[...path, index], one] as const] : []));
}
