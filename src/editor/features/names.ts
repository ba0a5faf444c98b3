import { pathToFileURL } from 'node:url';
import {
  type DefinitionParams,
  type DocumentHighlight,
  DocumentHighlightKind,
  type Location,
  LSPErrorCodes,
  type Range,
  type ReferenceParams,
  type RenameParams,
  ResponseError,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { lex } from '../../expression/index.js';
import { findMutators } from '../../mutators/index.js';
import {
  isTable,
  type TomlDocument,
  type TomlPath,
  type TomlTable,
  tomlValueAt,
} from '../../toml/index.js';
import {
  type ExpressionName,
  type ExpressionPlace,
  expressionAt,
  nameAt,
  namesIn,
} from '../expressions.js';
import { toRange } from '../text/places.js';
import { elementAt } from '../toml-element.js';
import { type Documents, forPosition, rangeOf, type View } from '../view.js';

interface Label {
  readonly site: ExpressionPlace;
  readonly at: ExpressionName;
  /** The label's occurrences in the expression. The occurrence in a pattern, if any, comes first. */
  readonly places: readonly ExpressionName[];
  rangeOf(place: ExpressionName): Range;
}

function labelAt(view: View, offset: number): Label | undefined {
  const { snapshot } = view;
  const site = expressionAt(snapshot, offset);
  if (site === undefined) return undefined;
  const at = nameAt(site, offset);
  if (at?.role !== 'label') return undefined;
  const places = namesIn(site.tree).filter(
    (name) => name.role === 'label' && name.text === at.text,
  );
  return { site, at, places, rangeOf: ({ span }) => rangeOf(view, site.source.toFile(span)) };
}

/**
 * Returns the declarations of the name at an offset: the pattern for a label, or the manifest tables for a mutator or
 * parameter.
 */
export const definition = forPosition(
  (view: View, offset, _params: DefinitionParams, documents): Location[] => {
    const label = labelAt(view, offset);
    const declaration = label?.places.find(({ declares }) => declares);
    if (label !== undefined && declaration !== undefined) {
      return [{ uri: view.uri, range: label.rangeOf(declaration) }];
    }
    const reference = namedAt(view, offset);
    return reference === undefined ? [] : declarationsOf(view, reference, documents);
  },
);

/**
 * Returns the references to the name at an offset: to a label within its expression, or to a mutator or parameter in
 * open objectives.
 */
export const references = forPosition(
  (view: View, offset, { context }: ReferenceParams, documents): Location[] => {
    const label = labelAt(view, offset);
    if (label !== undefined) {
      return label.places
        .filter(({ declares }) => context.includeDeclaration || !declares)
        .map((place) => ({ uri: view.uri, range: label.rangeOf(place) }));
    }
    const reference = namedAt(view, offset);
    if (reference === undefined) return [];
    const declarations = context.includeDeclaration
      ? declarationsOf(view, reference, documents)
      : [];
    return [...declarations, ...documents.views().flatMap((other) => findUses(other, reference))];
  },
);

/** Highlights all occurrences of the label at an offset, within the label's expression. */
export const highlights = forPosition((view: View, offset): DocumentHighlight[] => {
  const label = labelAt(view, offset);
  return (label?.places ?? []).map((place) => ({
    range: (label as Label).rangeOf(place),
    kind: place.declares ? DocumentHighlightKind.Write : DocumentHighlightKind.Read,
  }));
});

export const prepareRename = forPosition((view: View, offset) => {
  const label = labelAt(view, offset);
  return label && { range: label.rangeOf(label.at), placeholder: label.at.text };
});

/** Renames the label at an offset, within the label's expression. */
export const rename = forPosition(
  (view: View, offset, { newName }: RenameParams): WorkspaceEdit => {
    const label = labelAt(view, offset);
    if (label === undefined) return { changes: { [view.uri]: [] } };
    const { site, at, places } = label;
    const newLabel = toLabelText(newName);
    const isTaken = namesIn(site.tree).some(
      ({ role, text }) => role === 'label' && text === newName && text !== at.text,
    );
    if (isTaken) throw cannotRename(`"${newName}" is already a label of this expression`);
    const newText = site.source.write(newLabel);
    if (newText === undefined) throw cannotRename(`this string cannot contain "${newName}"`);
    const edits = places.map((place) => ({ range: label.rangeOf(place), newText }));
    return { changes: { [view.uri]: edits } };
  },
);

function cannotRename(reason: string): Error {
  return new ResponseError(LSPErrorCodes.RequestFailed, reason);
}

/** Formats a name for an expression, in backquotes if it is not a plain word. */
function toLabelText(name: string): string {
  for (const candidate of [name, `\`${name}\``]) {
    const [token, ...more] = lex(candidate).tokens;
    const isName = token?.type === 'identifier' || token?.type === 'quoted identifier';
    const isWhole = token?.start === 0 && token.end === candidate.length && more.length === 0;
    if (isName && isWhole && candidate.isWellFormed()) return candidate;
  }
  throw cannotRename(`"${name}" cannot be a label`);
}

/** A file's reference to a mutator or one of its parameters. */
interface MutatorReference {
  readonly mutator: string;
  readonly probe?: string;
  readonly parameter?: string;
}

/** Returns the mutator or parameter reference at an offset. */
function namedAt({ snapshot }: View, offset: number): MutatorReference | undefined {
  const { kind, document } = snapshot;
  const element = document && elementAt(document, offset);
  if (document === undefined || element?.part !== 'value') return undefined;
  const [array, index, key, ...rest] = element.path;
  const mutator = tomlValueAt(document.root, [array ?? '', index ?? '']);
  if (array !== 'mutator' || !isTable(mutator)) return undefined;
  const { name, probe, id } = mutator;
  const identifier = typeof name === 'string' ? name : id;
  if (typeof identifier !== 'string') return undefined;
  const reference = { mutator: identifier, ...(typeof probe === 'string' && { probe }) };
  if (rest.length === 0 && (key === 'name' || (kind === 'manifest' && key === 'id')))
    return reference;
  const isParameter = key === (kind === 'manifest' ? 'param' : 'param_constraints');
  const parameter = tomlValueAt(document.root, element.path);
  if (!isParameter || rest.at(-1) !== 'name' || typeof parameter !== 'string') return undefined;
  return { ...reference, parameter };
}

function declarationsOf(view: View, named: MutatorReference, documents: Documents): Location[] {
  if (view.snapshot.kind === 'manifest') {
    const { document } = view.snapshot;
    return document === undefined ? [] : findTables(view.uri, document, named, 'param');
  }
  const { catalog } = view;
  const matches = catalog && findMutators(catalog, named.mutator, named.probe);
  const origins = new Set(matches?.map(({ origin }) => origin));
  return [...origins].flatMap((path) => {
    const document = path.endsWith('.toml') ? documents.documentAt(path) : undefined;
    if (document === undefined) return [];
    return findTables(pathToFileURL(path).href, document, named, 'param');
  });
}

function findUses(view: View, named: MutatorReference): Location[] {
  const { document, kind } = view.snapshot;
  if (kind !== 'objective' || document === undefined) return [];
  return findTables(view.uri, document, named, 'param_constraints');
}

/** Returns the locations of a name in a file's tables. A table or reference without a probe matches every probe. */
function findTables(
  uri: string,
  document: TomlDocument,
  { mutator, probe, parameter }: MutatorReference,
  key: string,
): Location[] {
  return tablesAt(document.root, ['mutator']).flatMap(([path, table]) => {
    const isTarget = (table['name'] ?? table['id']) === mutator;
    const isThere = [undefined, table['probe']].includes(probe) || table['probe'] === undefined;
    if (!isTarget || !isThere) return [];
    const tables: readonly (readonly [TomlPath, TomlTable])[] =
      parameter === undefined
        ? [[path, table]]
        : tablesAt(document.root, [...path, key]).filter(
            ([, table]) => table['name'] === parameter,
          );
    return tables.map(([at, table]) => {
      const span = document.valueSpan([...at, table['name'] === undefined ? 'id' : 'name']);
      return { uri, range: toRange(document.file, span) };
    });
  });
}

function tablesAt(root: TomlTable, path: TomlPath): readonly (readonly [TomlPath, TomlTable])[] {
  const value = tomlValueAt(root, path);
  if (isTable(value)) return [[path, value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((table, index) =>
    isTable(table) ? [[[...path, index], table] as const] : [],
  );
}
