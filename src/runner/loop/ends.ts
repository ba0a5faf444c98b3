import type { EndRecord } from '../journal/records.js';

const REASONS: Readonly<Record<EndRecord['reason'], string>> = {
  attempts: 'attempt limit reached',
  time: 'time limit reached',
  passing: 'enough attempts have passed',
  failing: 'enough attempts have failed',
  inconclusive: 'ten attempts in a row were inconclusive',
  'no-verdict': 'fifty attempts in a row were skipped or inconclusive',
  interrupted: 'interrupted',
  'reset-failed': 'a mutator could not be reset',
  journal: 'the journal could not be written',
};

/** Why a run has ended, in words. */
export function endText({ reason, detail }: Pick<EndRecord, 'reason' | 'detail'>): string {
  return detail === undefined ? REASONS[reason] : `${REASONS[reason]} (${detail})`;
}

/** The ends after which a run may go on: nothing that was decided ended it. */
const RESUMABLE: ReadonlySet<EndRecord['reason']> = new Set([
  'interrupted',
  'journal',
  'reset-failed',
]);

/** Whether a run that ended so has come to its end for good. */
export function isFinal({ reason }: Pick<EndRecord, 'reason'>): boolean {
  return !RESUMABLE.has(reason);
}
