import type { Evaluation } from '../../evaluation/index.js';
import { visible } from '../../reporters/index.js';
import type { Session } from '../../session/index.js';
import { excerptOf } from './excerpt.js';
import type { VerdictLook } from './paint.js';
import { spaceTime } from './space-time.js';

/** The evidence as diagrams, each below what it is evidence of. */
export function drawEvidence(
  session: Session,
  { evidence }: Evaluation,
  look: VerdictLook,
): string {
  return evidence
    .map(({ why, of, binding }) => {
      const title = why === 'first' ? 'a binding:' : `the binding with ${visible(of ?? why)}:`;
      return `${title}\n${spaceTime(excerptOf(session, binding), look)}`;
    })
    .join('\n');
}
