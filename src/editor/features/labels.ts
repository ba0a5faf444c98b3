import type { DocumentHighlight, Location, Range, TextEdit } from 'vscode-languageserver/node';
import { DocumentHighlightKind } from 'vscode-languageserver/node';
import { lex } from '../../expression/index.js';
import { type ExpressionName, namesOf } from '../expression-names.js';
import { type ExpressionString, nameAt, siteAt } from '../expression-sites.js';
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
