import type { Evaluation, Evidence } from '../../evaluation/index.js';
import type { Excerpt } from '../../excerpt/index.js';
import { visible } from '../../reporters/index.js';
import { bindingsTable } from './evaluation-text.js';
import type { VerdictLook } from './paint.js';
import { spaceTimeText } from './space-time.js';

/**
 * The evidence, each below what it is evidence of: as diagrams, or as the places of its events
 * where these are not at hand.
 *
 * @param excerpts what to draw of each
 */
export function drawEvidence(
  { evidence }: Evaluation,
  excerpts: readonly Excerpt[] | undefined,
  look: VerdictLook,
): string {
  return evidence
    .map((one, at) => {
      const excerpt = excerpts?.[at];
      const drawn =
        excerpt === undefined
          ? bindingsTable(Object.keys(one.binding), [one.binding], look)
          : spaceTimeText(excerpt, look);
      return `${titleOf(one)}\n${drawn}`;
    })
    .join('\n');
}

function titleOf({ why, of }: Evidence): string {
  return why === 'first' ? 'a binding:' : `the binding with ${visible(of ?? why)}:`;
}
