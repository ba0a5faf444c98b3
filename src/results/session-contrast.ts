import { plural } from '../basics/index.js';
import type { FoundDifferences } from '../explain/index.js';
import { type DivergencePart, SAME_ORDER } from './divergence-part.js';
import { CAUSATION_NOTE, type ContrastDocument, statementSentences } from './explanation.js';
import {
  differenceLimits,
  differenceStatements,
  type SessionCounts,
  statementsToShow,
} from './session-differences.js';

/** Compares recorded failing and passing sessions, without knowledge of parameters. */
export function contrastDocument(
  counts: SessionCounts,
  differences: FoundDifferences,
  divergence: DivergencePart | undefined,
): ContrastDocument {
  const { failing, passing } = counts;
  const statements = statementsToShow(differenceStatements(differences, counts, 'session'));
  const compared = `${plural(failing, 'failing session')} and ${plural(passing, 'passing session')}`;
  const limits = [...differenceLimits(differences, counts, 'session'), CAUSATION_NOTE];
  const sentences = [
    `${compared} were compared in ${plural(differences.compared, 'feature')}.`,
    ...statementSentences('Largest difference', statements[0]),
    divergence?.text ?? SAME_ORDER,
  ];
  return {
    ...{ paragraph: sentences.join(' '), noun: 'session', failing, passing, statements },
    ...{ divergence, limits },
  };
}
