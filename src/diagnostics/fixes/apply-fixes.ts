import type { Edit, Finding } from '../finding.js';

const BOM = '\ufeff';

/**
 * The edits of all fixes that go together, by their start. A fix that touches what an
 * earlier one changes is left for another round, whole.
 */
export function fixEdits(findings: readonly Finding[]): readonly Edit[] {
  const taken: Edit[] = [];
  for (const { fix } of findings) {
    if (fix === undefined || fix.edits.some((edit) => taken.some((one) => touch(one, edit)))) {
      continue;
    }
    taken.push(...fix.edits);
  }
  return taken.sort((a, b) => a.span.start - b.span.start);
}

/**
 * The text with the fixes of its findings made, as `fixEdits` chooses them.
 *
 * @param text with or without the BOM of its file, which spans do not count
 * @returns the text as it was when there is nothing to fix
 */
export function applyFixes(text: string, findings: readonly Finding[]): string {
  const bom = text.startsWith(BOM) ? BOM : '';
  let fixed = text.slice(bom.length);
  for (const { span, text: replacement } of fixEdits(findings).toReversed()) {
    fixed = fixed.slice(0, span.start) + replacement + fixed.slice(span.end);
  }
  return bom + fixed;
}

function touch(a: Edit, b: Edit): boolean {
  return a.span.start <= b.span.end && b.span.start <= a.span.end;
}
