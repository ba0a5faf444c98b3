import type { Span } from '../../source/index.js';

/** What an inline comment asks the linter to do. */
export interface Directive {
  /** The word after `perturb:`; anything but the two known ones is a mistake. */
  readonly kind: string;
  readonly kindSpan: Span;
  /** The rules it names. */
  readonly ids: readonly { readonly id: string; readonly span: Span }[];
}

/** The directives there are. */
export const DIRECTIVES = ['ignore', 'ignore-file'];

/** Whether a directive is one that there is. */
export function isKnown({ kind }: Directive): boolean {
  return DIRECTIVES.includes(kind);
}

const HEAD = /^(#\s*perturb:\s*)(\S*)\s*/;
/** Ids are parted by commas; the first word that no comma follows is the last id. */
const ID = /^([^\s,]+)\s*(,\s*)?/;

/**
 * Reads `# perturb: ignore RULE[, RULE] [reason]` or `# perturb: ignore-file ...`.
 *
 * @param comment the comment from its `#`
 * @param offset where the comment begins in its text: spans count from the text's start
 * @returns undefined for any other comment
 */
export function readDirective(comment: string, offset: number): Directive | undefined {
  const head = HEAD.exec(comment);
  if (head === null) return undefined;
  const [all, before, kind] = head as unknown as [string, string, string];
  const spanAt = (start: number, text: string): Span => ({
    start: offset + start,
    end: offset + start + text.length,
  });
  const ids: { id: string; span: Span }[] = [];
  let at = all.length;
  let more = true;
  while (more) {
    const match = ID.exec(comment.slice(at));
    if (match === null) break;
    const [read, id, comma] = match as unknown as [string, string, string | undefined];
    ids.push({ id, span: spanAt(at, id) });
    at += read.length;
    more = comma !== undefined;
  }
  return { kind, kindSpan: spanAt(before.length, kind), ids };
}
