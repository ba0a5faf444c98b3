import type { Binding, Evaluation, Evidence } from '../../evaluation/index.js';
import { excerptOf } from '../../excerpt/index.js';
import { visible } from '../../reporters/index.js';
import type { Session } from '../../session/index.js';
import { bindingsTable } from './evaluation-text.js';
import type { VerdictLook } from './paint.js';
import { spaceTimeText } from './space-time.js';

/**
 * The evidence, each below what it is evidence of: as diagrams, or as the places of its events
 * where these are not at hand.
 */
export function drawEvidence(
  session: Session | undefined,
  { evidence }: Evaluation,
  look: VerdictLook,
): string {
  const draw = (binding: Binding): string =>
    session === undefined
      ? bindingsTable(Object.keys(binding), [binding], look)
      : spaceTimeText(excerptOf(session, binding), look);
  return evidence.map((one) => `${titleOf(one)}\n${draw(one.binding)}`).join('\n');
}

function titleOf({ why, of }: Evidence): string {
  return why === 'first' ? 'a binding:' : `the binding with ${visible(of ?? why)}:`;
}
