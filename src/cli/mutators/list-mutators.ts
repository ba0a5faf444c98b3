import { quote, suggest } from '../../diagnostics/index.js';
import { type Mutator, type MutatorClient, mutatorName } from '../../mutators/index.js';
import { orFail } from '../config/server.js';
import { exitCodes } from '../runtime/exit-codes.js';
import { Failure } from '../runtime/failure.js';
import type { Io } from '../runtime/io.js';

/** The mutators of a server. What was wrong with its listing goes to stderr. */
export async function listMutators(io: Io, client: MutatorClient): Promise<readonly Mutator[]> {
  const { mutators, warnings } = await orFail(() => client.list());
  for (const warning of warnings) io.stderr.write(`perturb: warning: ${warning}\n`);
  return mutators;
}

/** The mutator with an id. */
export function findMutator(mutators: readonly Mutator[], id: string): Mutator {
  const mutator = mutators.find((one) => one.id === id);
  if (mutator !== undefined) return mutator;
  throw new Failure(
    exitCodes.usage,
    `there is no mutator with the id ${quote(id)}`,
    helpFor(mutators, id),
  );
}

/** Where an id leads nowhere, what may have been meant. */
function helpFor(mutators: readonly Mutator[], id: string): string {
  const named = mutators.filter((mutator) => mutatorName(mutator) === id);
  if (named.length > 0) {
    const ids = named.map((mutator) => quote(mutator.id)).join(', ');
    return named.length === 1
      ? `The mutator of that name has the id ${ids}.`
      : `The mutators of that name have the ids ${ids}.`;
  }
  const ids = mutators.map((mutator) => mutator.id);
  return suggest(id, ids) ?? 'The server has no mutators.';
}
