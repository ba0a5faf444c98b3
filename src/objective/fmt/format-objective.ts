import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit, type RuleMeta } from '../../diagnostics/index.js';
import { impliedParentheses, lex, parse, print } from '../../expression/index.js';
import { type DecodedSource, SourceFile, type Span } from '../../source/index.js';
import { readToml, type TomlDocument, type TomlTable, tomlValueAt } from '../../toml/index.js';
import { expressionsOf } from '../draft.js';
import { lint } from '../lint.js';
import { formatExpression } from './format-expression.js';

/** The rule for `objective fmt --check`. The linter does not run it, because layout is not a mistake. */
export const formatRule: RuleMeta = {
  id: 'format/expression',
  severity: 'error',
  fixable: 'safe',
  summary: 'an expression that `perturb objective fmt` would lay out differently',
  why: 'If everybody uses one layout, a diff between two versions shows only the actual changes.',
  action: 'Run `perturb objective fmt`.',
  examples: {
    fails: `check = "match (name = 'CRASH') as crash"\n`,
    passes: `check = "MATCH (name = 'CRASH') AS crash"\n`,
  },
};

/** An expression that the formatter skips, with the reason. */
export interface UnformattedExpression {
  readonly span: Span;
  readonly reason: 'syntax' | 'ignore';
}

/** An objective file after formatting. */
export interface FormattedObjective {
  /** The formatted text, without a BOM. */
  readonly text: string;
  /** The edits to the changed strings, sorted by start. */
  readonly edits: readonly Edit[];
  /** The skipped expressions, sorted by start. */
  readonly leftAlone: readonly UnformattedExpression[];
}

/** Adds parentheses around each AND within an OR. */
function addParentheses(document: TomlDocument): TomlDocument {
  const { text, path: name } = document.file;
  const edits = expressionsOf(document).flatMap(({ path }) => {
    const embedded = document.embed(path);
    return impliedParentheses(embedded.text).flatMap(
      ({ span, text: sign }) => embedded.edit(span, sign) ?? [],
    );
  });
  if (edits.length === 0) return document;
  edits.sort((a, b) => a.span.start - b.span.start);
  const groupedSource = new SourceFile(name, applyEdits(text, edits));
  return readToml({ source: groupedSource, invalid: [] }).document ?? document;
}

/**
 * Formats the trace expressions of an objective file, and adds parentheses where AND and OR are mixed. Preserves all
 * text outside the expressions' strings. Skips an expression with a syntax error, or with an ignore comment that would
 * silence other findings in the new layout.
 *
 * @returns undefined if the file is not TOML
 * @throws Error if more than the layout changed, which is a bug
 */
export function formatObjective(decoded: DecodedSource): FormattedObjective | undefined {
  const { source } = decoded;
  const { document } = readToml(decoded);
  if (document === undefined) return undefined;
  const edits: Edit[] = [];
  const leftAlone: UnformattedExpression[] = [];
  const grouped = addParentheses(document);
  for (const { path } of expressionsOf(document)) {
    const embedded = grouped.embed(path);
    const span = document.valueSpan(path);
    const { expression } = parse(embedded.text);
    if (expression === undefined) {
      leftAlone.push({ span, reason: 'syntax' });
      continue;
    }
    const mayGrow = isOnOwnLines(source.text, span);
    const string = { source: embedded, span: grouped.valueSpan(path), expression, mayGrow };
    const text = formatExpression(string);
    if (text === source.text.slice(span.start, span.end)) continue;
    const edit = { span, text };
    // An ignore comment silences findings by line, and formatting may move lines.
    if (embedded.text.includes('perturb:') && !keepsFindings(decoded, edit)) {
      leftAlone.push({ span, reason: 'ignore' });
    } else edits.push(edit);
  }
  edits.sort((a, b) => a.span.start - b.span.start);
  leftAlone.sort((a, b) => a.span.start - b.span.start);
  const text = applyEdits(source.text, edits);
  prove(document, text);
  return { text, edits, leftAlone };
}

/** True if a value's lines contain only the value and its key. */
function isOnOwnLines(text: string, { start, end }: Span): boolean {
  const textBefore = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const lineEnd = text.indexOf('\n', end);
  const textAfter = text.slice(end, lineEnd === -1 ? text.length : lineEnd);
  return /^[ \t]*[\w.'"\t -]+=[ \t]*$/.test(textBefore) && /^[ \t\r]*(?:#.*)?$/.test(textAfter);
}

function keepsFindings(decoded: DecodedSource, edit: Edit): boolean {
  const { source } = decoded;
  const text = applyEdits(source.text, [edit]);
  const editedSource = { source: new SourceFile(source.path, text, source.bom), invalid: [] };
  return findingsText(editedSource) === findingsText(decoded);
}

function findingsText(decoded: DecodedSource): string {
  const findings = lint(decoded).flatMap(({ rule, message }) =>
    rule === 'expression/mixed-and-or' ? [] : [`${rule} ${message}`],
  );
  return findings.sort().join('\n');
}

/** Throws unless formatting preserved each expression's meaning and comments, and all other values. */
function prove(before: TomlDocument, text: string): void {
  const { file } = before;
  if (text === file.text) return;
  const after = readToml({ source: new SourceFile(file.path, text), invalid: [] }).document;
  const proven =
    after !== undefined &&
    isDeepStrictEqual(canonicalMeanings(after), canonicalMeanings(before)) &&
    isDeepStrictEqual(removeExpressions(after), removeExpressions(before));
  if (!proven) throw new Error(`formatting ${file.path} would change its meaning`);
}

/** Returns the expressions' trees and comments, which formatting must preserve. */
function canonicalMeanings(document: TomlDocument): readonly unknown[] {
  return expressionsOf(document).map(({ path }) => {
    const { text } = document.embed(path);
    const { expression } = parse(text);
    if (expression === undefined) return { path, text };
    const comments = lex(text).comments.map(({ start, end }) => text.slice(start, end).trimEnd());
    return { path, tree: print(expression), comments };
  });
}

function removeExpressions(document: TomlDocument): TomlTable {
  const root = structuredClone(document.root);
  for (const { path } of expressionsOf(document)) {
    delete (tomlValueAt(root, path.slice(0, -1)) as TomlTable)[path.at(-1) as string];
  }
  return root;
}
