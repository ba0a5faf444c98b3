import { readFileSync } from 'node:fs';

/**
 * @typedef {import('./instrument.js').Mutant} Mutant
 * @typedef {import('./examine.js').Examined} Examined
 * @typedef {import('./report.js').Result} Result
 * @typedef {{ file: string, code: string, original: string, replacement: string, reason: string }} Accepted
 */

const FILE = new URL('./accepted.json', import.meta.url);

/**
 * The survivors of some files that were looked at and may stay. They are known
 * by their code, not by their line, so that they outlive changes elsewhere.
 *
 * @param {readonly string[]} files
 */
export function readAccepted(files) {
  /** @type {Accepted[]} */
  const all = JSON.parse(readFileSync(FILE, 'utf8'));
  const accepted = all.filter(({ file }) => files.includes(file));
  const reasons = new Map(accepted.map((one) => [keyOf(one), one.reason]));

  return {
    /** @param {Examined} examined @returns {Result} */
    judge(examined) {
      const reason = reasons.get(keyOf(examined));
      const { status } = examined;
      if (reason === undefined || status === 'killed' || status === 'timeout') return examined;
      return { ...examined, status: 'accepted', reason };
    },
    /**
     * What is in the list and should not be.
     *
     * @param {readonly Mutant[]} mutants all that there are
     * @param {readonly Result[]} results of those that were tried
     */
    complaints(mutants, results) {
      const known = new Set(mutants.map(keyOf));
      const tried = new Set(results.map(keyOf));
      const needed = new Set(results.filter(({ reason }) => reason !== undefined).map(keyOf));
      return accepted.flatMap((one) => {
        const key = keyOf(one);
        const { file, code, original, replacement } = one;
        const what = `${file}: ${code}: ${original} as ${replacement}`;
        if (!known.has(key)) return [`accepted.json holds what is no mutant any more: ${what}`];
        return tried.has(key) && !needed.has(key)
          ? [`accepted.json holds what is killed now: ${what}`]
          : [];
      });
    },
  };
}

/** @param {Pick<Accepted, 'file' | 'code' | 'original' | 'replacement'>} one */
function keyOf({ file, code, original, replacement }) {
  return JSON.stringify([file, code, original, replacement]);
}
