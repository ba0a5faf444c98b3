import { decodeSource, lastAtMost } from '../source/index.js';
import type { Edit, Finding } from './finding.js';

const BOM = '\ufeff';

/**
 * The edits of all fixes that go together, by their start. A fix that touches what an
 * earlier one changes is left for another round, whole.
 */
export function fixEdits(findings: readonly Finding[]): readonly Edit[] {
  const taken: Edit[] = [];
  for (const { fix } of findings) {
    if (fix === undefined || fix.edits.some((edit) => touchesAny(taken, edit))) continue;
    for (const edit of fix.edits) taken.splice(placeAfter(taken, edit.span.start), 0, edit);
  }
  return taken;
}

/**
 * The text with the fixes of its findings made, as `fixEdits` chooses them.
 *
 * @param text with or without the BOM of its file, which spans do not count
 * @returns the text as it was when there is nothing to fix
 */
export function applyFixes(text: string, findings: readonly Finding[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  const parts: string[] = [];
  let at = bom.length;
  for (const { span, text: replacement } of fixEdits(findings)) {
    parts.push(text.slice(at, bom.length + span.start), replacement);
    at = bom.length + span.end;
  }
  return bom + parts.join('') + text.slice(at);
}

/**
 * Whether an edit touches one of those that are taken, which are in order and apart:
 * only the last that begins before its end can.
 */
function touchesAny(taken: readonly Edit[], { span }: Edit): boolean {
  const before = taken[placeAfter(taken, span.end) - 1];
  return before !== undefined && before.span.end >= span.start;
}

/** How many of the edits begin at an offset or before it. */
function placeAfter(edits: readonly Edit[], offset: number): number {
  return lastAtMost(offset, edits.length, (index) => (edits[index] as Edit).span.start) + 1;
}

/** Fixes can make room for others; a project's files need two or three rounds at most. */
const MOST_ROUNDS = 10;

/** A file after its fixes. */
export interface Fixed {
  /** As they were, if nothing could be fixed. */
  readonly bytes: Uint8Array;
  /** What is left. */
  readonly findings: readonly Finding[];
  readonly changed: boolean;
}

/**
 * Makes the fixes of a file until none is left. Every byte that no fix changes
 * stays. A file that is not UTF-8 stays as it is: its bytes cannot be recovered
 * from its text.
 */
export function fixBytes(
  path: string,
  bytes: Uint8Array,
  lint: (bytes: Uint8Array) => readonly Finding[],
): Fixed {
  let current = bytes;
  let findings = lint(current);
  if (decodeSource(path, bytes).invalid.length > 0) return { bytes, findings, changed: false };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { source } = decodeSource(path, current);
    const text = applyFixes(source.text, findings);
    if (text === source.text) break;
    current = Buffer.from((source.bom ? '\ufeff' : '') + text);
    findings = lint(current);
  }
  return { bytes: current, findings, changed: current !== bytes };
}
