import { readFileSync } from 'node:fs';

/**
 * @typedef {import('./instrument.js').Mutant} Mutant
 * @typedef {{ file: string, code: string, original: string, replacement: string, reason: string }} Accepted
 */

const FILE = new URL('./accepted.json', import.meta.url);

/**
 * The survivors that were looked at and may stay. They are known by their code,
 * not by their line, so that they outlive changes elsewhere.
 *
 * @param {readonly Mutant[]} mutants all that there are
 */
export function acceptedReasons(mutants) {
  /** @type {Accepted[]} */
  const accepted = JSON.parse(readFileSync(FILE, 'utf8'));
  const reasons = new Map(accepted.map((one) => [keyOf(one), one.reason]));
  const keys = new Set(mutants.map(keyOf));
  const files = new Set(mutants.map(({ file }) => file));
  return {
    /** @param {Mutant} mutant */
    reasonFor: (mutant) => reasons.get(keyOf(mutant)),
    /** What is wrong with the list. @param {readonly (Mutant & { status: string })[]} results */
    problems(results) {
      const accepting = accepted.filter(({ file }) => files.has(file));
      const gone = accepting.filter((one) => !keys.has(keyOf(one)));
      const killed = results.filter((one) => reasons.has(keyOf(one)) && one.status !== 'accepted');
      const killedKeys = new Set(killed.map(keyOf));
      const stillThere = new Set(results.filter(({ status }) => status === 'accepted').map(keyOf));
      return [
        ...gone.map((one) => `accepted.json: no such mutant any more: ${one.file}: ${one.code}`),
        ...accepting
          .filter((one) => killedKeys.has(keyOf(one)) && !stillThere.has(keyOf(one)))
          .map((one) => `accepted.json: killed now: ${one.file}: ${one.code}`),
      ];
    },
  };
}

/** @param {Pick<Accepted, 'file' | 'code' | 'original' | 'replacement'>} one */
function keyOf({ file, code, original, replacement }) {
  return JSON.stringify([file, code, original, replacement]);
}
