import { quote } from '../../../diagnostics/index.js';
import { mutatorName } from '../../../mutators/index.js';
import type { Io } from '../../runtime/io.js';
import type { Prepared } from './prepare.js';

/** How many names are written out. */
const MOST_NAMES = 5;

/** Writes to stderr what a user should know before a run. */
export function tellNotes(io: Io, { space, leftOut }: Prepared): void {
  const without = space.mutators.filter(({ expires }) => !expires).map(({ name }) => name);
  if (without.length > 0) {
    io.stderr.write(
      `perturb: warning: ${namesText(without)}: no max_active: if this run is killed, its mutations stay active until it is resumed\n`,
    );
  }
  if (leftOut.length > 0) {
    io.stderr.write(
      `perturb: ${namesText(leftOut.map(mutatorName))}: not mutated, because the objective names others\n`,
    );
  }
}

function namesText(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const more = distinct.length - MOST_NAMES;
  const shown = distinct.slice(0, MOST_NAMES).map(quote).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
