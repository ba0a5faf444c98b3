import type { Edit, Finding } from '../finding.js';

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
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle] as Edit).span.start <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
