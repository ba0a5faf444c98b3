import { setTimeout as pause } from 'node:timers/promises';
import { quote } from '../../../diagnostics/index.js';
import {
  ClientError,
  type Mutator,
  type MutatorClient,
  selectMutators,
} from '../../../mutators/index.js';
import { durationText } from '../../../values/index.js';
import { unavailableFailure } from '../../runtime/command.js';
import type { RunFlags } from './flags.js';

/** Interval between two listings, in milliseconds. */
const PAUSE_MS = 200;

/**
 * Waits until the servers list every mutator of `--expect`, for at most `--patience`.
 *
 * @throws CommandFailure (unavailable) if a mutator is still missing
 */
export async function awaitExpectedMutators(
  clients: readonly MutatorClient[],
  { expect, patience }: Pick<RunFlags, 'expect' | 'patience'>,
): Promise<void> {
  if (expect.length === 0) return;
  const until = performance.now() + patience;
  for (;;) {
    const listed = await Promise.all(clients.map(listQuietly));
    const failed = listed.find((one) => one instanceof ClientError);
    const mutators = listed.flatMap((one) => (one instanceof ClientError ? [] : one));
    const missing = expect.filter((word) => selectMutators(mutators, word).length === 0);
    if (missing.length === 0) return;
    const left = until - performance.now();
    if (left > 0) {
      await pause(Math.min(PAUSE_MS, left));
      continue;
    }
    if (failed !== undefined) throw failed;
    throw unavailableFailure(
      `the bench is incomplete after ${durationText(patience)}: no server has ${missing.map(quote).join(', ')}`,
      "Start the server, or wait longer with --patience. perturb mutators list shows a server's mutators.",
    );
  }
}

async function listQuietly(client: MutatorClient): Promise<readonly Mutator[] | ClientError> {
  try {
    return (await client.list()).mutators;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
}
