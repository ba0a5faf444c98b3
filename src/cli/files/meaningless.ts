import { type Role, whyMeaningless } from '../../expression/index.js';
import type { Objective } from '../../objective/index.js';
import { visible } from '../../reporters/index.js';
import { CommandFailure, exitCodes } from '../runtime/command.js';

/**
 * Refuses an objective with an expression that has no verdict, even if a level or a comment silences that.
 *
 * @throws CommandFailure (findings)
 */
export function refuseMeaningless(objective: Objective): void {
  const { mutationConstraints, mutators, measurements } = objective;
  for (const { mutationPrecondition } of [mutationConstraints, ...mutators]) {
    if (mutationPrecondition) refuseWithoutVerdict(mutationPrecondition.text, 'precondition');
  }
  for (const { check } of measurements) refuseWithoutVerdict(check.text, 'check');
}

/** @throws CommandFailure (findings) for an expression that has no verdict, whatever its level */
export function refuseWithoutVerdict(text: string, role: Role): void {
  const why = whyMeaningless(text, role);
  if (why === undefined) return;
  throw new CommandFailure(
    exitCodes.findings,
    `an expression cannot be evaluated: ${visible(why.message)}`,
    `Correct it: ${why.rule} is silenced, but what it reports has no meaning.`,
  );
}
