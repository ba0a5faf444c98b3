import type { Metadata } from '../diagnostics/index.js';
import { SourceFile, type Span } from '../source/index.js';
import { parseToml, type TomlDocument } from '../toml/index.js';

/*
 * Metadata: comments such as `# @requirement = "REQ-7"`, directly above a [[measurement]] or above
 * the objective's `name`. Only Perturb interprets these comments; other programs still accept the
 * file.
 */

/** The owner of metadata: the objective, or a measurement by its index. */
export type Owner = 'objective' | number;

/** A comment that looks like metadata. Only a comment with a value and an owner is metadata. */
export interface MetadataComment {
  readonly span: Span;
  readonly word: string;
  /** The value as written, from the first character after `=` and its blanks to the end of the line. */
  readonly written: Span;
  /** The value; absent if the text after `=` is not a TOML string. */
  readonly value?: string;
  /** The owner; absent if the comment is above neither a measurement nor `name`. */
  readonly owner?: Owner;
}

/** Common metadata keys, by their names in other formats. */
export const COMMON_WORDS = {
  requirement_id: 'requirement',
  description: 'description',
  author: 'author',
} as const;

/** Matches text that may have metadata. Most files have none, so their comments need no parsing. */
const MAY_HAVE = /#[ \t]*@/;
const HEAD = /^#[ \t]*@(?<rest>(?<word>[A-Za-z][\w-]*)[ \t]*=[ \t]*)/;

/**
 * Returns an objective file's metadata comments, in file order. Includes comments that only look
 * like metadata.
 */
export function metadataIn(document: TomlDocument): readonly MetadataComment[] {
  const { text } = document.file;
  if (!MAY_HAVE.test(text)) return [];
  const candidates = document.comments().flatMap(({ span, text: comment }) => {
    const head = HEAD.exec(comment);
    if (head === null) return [];
    const { word = '', rest: statement = '' } = head.groups ?? {};
    const written = { start: span.start + head[0].length, end: span.end };
    const value = stringIn(`${statement}${text.slice(written.start, written.end)}`);
    return [{ span, word, written, ...(value !== undefined && { value }) }];
  });
  if (candidates.length === 0) return [];
  const ownerAt = owners(document);
  return candidates.map((comment) => {
    const owner = ownerAt.get(comment.span.start);
    return owner === undefined ? comment : { ...comment, owner };
  });
}

/** Returns the string in `word = "value"`, or undefined for any other text or value. */
function stringIn(statement: string): string | undefined {
  const { document } = parseToml(new SourceFile('', statement));
  const [value] = Object.values(document?.root ?? {});
  return typeof value === 'string' ? value : undefined;
}

/** Returns the owner of each comment above `name` or a measurement, by the comment's start. */
function owners(document: TomlDocument): ReadonlyMap<number, Owner> {
  const { lines, text } = document.file;
  const lineOf = (offset: number) => lines.position(offset).line;
  const ownersByLine = new Map<number, Owner>();
  const { entries } = document.outline();
  const name = entries?.get('name');
  if (name !== undefined) ownersByLine.set(lineOf(name.key.start), 'objective');
  for (const [index, { value }] of (entries?.get('measurement')?.items ?? []).entries()) {
    // Skips elements written as inline tables, which have no header.
    if (text[value.start] === '[') ownersByLine.set(lineOf(value.start), index);
  }
  const ownersByStart = new Map<number, Owner>();
  for (const { span, ownLine } of document.comments().toReversed()) {
    const line = lineOf(span.start);
    const owner = ownLine ? ownersByLine.get(line + 1) : undefined;
    if (owner === undefined) continue;
    ownersByLine.set(line, owner);
    ownersByStart.set(span.start, owner);
  }
  return ownersByStart;
}

/** Returns an owner's metadata, by key; undefined if the owner has no metadata. */
export function metadataOf(
  comments: readonly MetadataComment[],
  owner: Owner,
): Metadata | undefined {
  const values = new Map<string, string[]>();
  for (const comment of comments) {
    if (comment.owner !== owner || comment.value === undefined) continue;
    values.set(comment.word, [...(values.get(comment.word) ?? []), comment.value]);
  }
  return values.size === 0 ? undefined : Object.fromEntries(values);
}

/** Returns a measurement's metadata, with the objective's metadata for missing keys. */
export function measurementMetadata(
  comments: readonly MetadataComment[],
  index: number,
): Metadata | undefined {
  const [objectiveWords, measurementWords] = [
    metadataOf(comments, 'objective'),
    metadataOf(comments, index),
  ];
  return objectiveWords && measurementWords
    ? { ...objectiveWords, ...measurementWords }
    : (measurementWords ?? objectiveWords);
}
