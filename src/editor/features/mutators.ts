import { pathToFileURL } from 'node:url';
import type { Location } from 'vscode-languageserver/node';
import { mutatorsNamed } from '../../mutators/index.js';
import { isTable, type TomlDocument, type TomlPath, type TomlTable } from '../../toml/index.js';
import { placeAt, valueAt } from '../toml-place.js';
import type { View } from '../view.js';

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
