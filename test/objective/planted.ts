import { readFileSync } from 'node:fs';
import { allRules } from '../../src/cli/rules.js';
import { readSettings } from '../../src/config/index.js';
import type { Finding } from '../../src/diagnostics/index.js';
import { recordedOf } from '../../src/expression/index.js';
import { createCatalog, loadManifest } from '../../src/mutators/index.js';
import { lint, lintText } from '../../src/objective/index.js';
import { decodeSource } from '../../src/source/index.js';
import type { Dice } from '../dice.js';
import { LONE_MISTAKES, MISTAKES, type Mistake, RIGHT, SLIPS } from './mistakes.js';
import {
  BENCH_SESSION,
  CONFIG_MISTAKES,
  MANIFEST_MISTAKES,
  RECORDED_MISTAKES,
  RIGHT_CONFIG,
  RIGHT_MANIFEST,
} from './other-mistakes.js';
import { vocabularyIn } from './recordings.js';

/** How the linter did on the mistakes of one kind. */
export interface Score {
  readonly kind: string;
  planted: number;
  /** With a finding at all. */
  found: number;
  /** With a finding that begins where the mistake does. */
  atPlace: number;
  findings: number;
  /** Mistakes with one right answer, and those whose finding gives it. */
  answerable: number;
  answered: number;
}

const bench = readFileSync('fixtures/objective/catalog/bench.mutators.toml');
const { manifest } = loadManifest(decodeSource('m.toml', bench));
export const catalog = createCatalog(
  (manifest?.mutators ?? []).map((mutator) => ({ ...mutator, origin: 'm.toml' })),
);

/** A kind of file, with the mistakes that are planted in a right one. */
interface Planted {
  readonly right: string;
  readonly mistakes: readonly Mistake[];
  readonly find: (text: string) => readonly Finding[];
}

/** The same text is planted again and again, as there are few layouts; it is checked once. */
function once(find: Planted['find']): Planted['find'] {
  const found = new Map<string, readonly Finding[]>();
  return (text) => {
    const findings = found.get(text) ?? find(text);
    found.set(text, findings);
    return findings;
  };
}

const OBJECTIVE: Planted = {
  right: RIGHT,
  mistakes: MISTAKES,
  find: once((text) => lint(decodeSource('x.toml', Buffer.from(text)), { catalog })),
};

const recorded = recordedOf(await vocabularyIn(BENCH_SESSION), []);

export const OTHER_FILES: readonly Planted[] = [
  { ...OBJECTIVE, mistakes: LONE_MISTAKES, find: once((text) => lintText('x.toml', text)) },
  {
    ...OBJECTIVE,
    mistakes: RECORDED_MISTAKES,
    find: once((text) => lintText('x.toml', text, { catalog, ...(recorded && { recorded }) })),
  },
  {
    right: RIGHT_MANIFEST,
    mistakes: MANIFEST_MISTAKES,
    find: once((text) => loadManifest(decodeSource('mutators.toml', Buffer.from(text))).findings),
  },
  {
    right: RIGHT_CONFIG,
    mistakes: CONFIG_MISTAKES,
    find: once(
      (text) => readSettings(decodeSource('perturb.toml', Buffer.from(text)), allRules).findings,
    ),
  },
];

/** Every kind of file, and of each the right one and all with a mistake. */
export const ALL_FILES: readonly Planted[] = [OBJECTIVE, ...OTHER_FILES];

/** A right file with a mistake in it. */
export function withMistake(right: string, [, anchor, written]: Mistake): string {
  return right.replace(anchor, () => written.replaceAll(/[«»]/g, ''));
}

/** Plants each kind of mistake `times` times, and lints each file with one mistake. */
export function scoreMistakes(dice: Dice, times: number): Score[] {
  const slips = SLIPS.map((marked) => ({
    kind: `misspelt ${/«(.*)»/.exec(marked)?.[1]}`,
    plant: () => slipIn(dice, marked),
  }));
  const others = MISTAKES.map(([kind, anchor, written, answer]) => ({
    kind,
    plant: () => ({ anchor, written, answer }),
  }));
  const elsewhere = OTHER_FILES.flatMap((file) =>
    file.mistakes.map(([kind, anchor, written, answer]) => ({
      kind,
      plant: () => ({ anchor, written, answer }),
      file,
    })),
  );
  const all = [...[...slips, ...others].map((one) => ({ ...one, file: OBJECTIVE })), ...elsewhere];
  return all.map(({ kind, plant, file }) => {
    const counts = { planted: 0, found: 0, atPlace: 0, findings: 0, answerable: 0, answered: 0 };
    const score: Score = { kind, ...counts };
    for (let time = 0; time < times; time += 1) {
      const planted = plant();
      judge(score, layOut(dice, planted, file.right), planted.answer, file);
    }
    return score;
  });
}

interface Plant {
  readonly anchor: string;
  readonly written: string;
  readonly answer: string | undefined;
}

/** One slip of the hand in the marked word: the letter twice, left out, or changed places. */
function slipIn(dice: Dice, marked: string): Plant {
  const [before = '', word = '', after = ''] = marked.split(/[«»]/);
  const slips: string[] = [];
  for (let at = 1; at < word.length - 1; at += 1) {
    const [head, one, two, tail] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
    slips.push(`${head}${one}${one}${two}${tail}`);
    if (one !== two) slips.push(`${head}${two}${one}${tail}`);
    if (word.length > 4) slips.push(`${head}${two}${tail}`);
  }
  if (word.length < 3) slips.push(`${word}${word.at(-1)}`);
  const slip = dice.pick(slips.filter((one) => one !== word));
  // What is wrong with a string of TOML is marked from its quote on.
  const isString = before.endsWith('"') && after.startsWith('"');
  const place = isString ? `${before.slice(0, -1)}«"${slip}"»${after.slice(1)}` : undefined;
  const written = place ?? `${before}«${slip}»${after}`;
  return { anchor: before + word + after, written, answer: word };
}

/** The file with the mistake, and where that begins. */
export function layOut(
  dice: Dice,
  { anchor, written }: Plant,
  right: string,
): { text: string; at: number } {
  if (right.split(anchor).length !== 2) throw new Error(`not once in the file: ${anchor}`);
  const note = dice.pick(['', '# a note\n', '# wind 🌬\n\n']);
  const marked = (note + right.replace(anchor, () => written)).replaceAll(
    '\n',
    dice.pick(['\n', '\r\n']),
  );
  return { text: marked.replaceAll(/[«»]/g, ''), at: marked.indexOf('«') };
}

function judge(
  score: Score,
  { text, at }: { readonly text: string; readonly at: number },
  answer: string | undefined,
  { find }: Planted,
): void {
  const findings = find(text);
  score.planted += 1;
  score.findings += findings.length;
  if (findings.length > 0) score.found += 1;
  // Of what is missing there is no place.
  if (findings.some(({ span }) => at < 0 || span.start === at)) score.atPlace += 1;
  if (answer === undefined) return;
  score.answerable += 1;
  const told = findings.map(({ help = '', fix }) => help + (fix?.edits ?? []).map((e) => e.text));
  if (told.some((one) => one.includes(answer))) score.answered += 1;
}

/** The sum of all kinds, in shares of 1 but for `findings`, which is per mistake. */
export function total(scores: readonly Score[]) {
  const sum = (key: Exclude<keyof Score, 'kind'>): number =>
    scores.reduce((all, score) => all + score[key], 0);
  const planted = sum('planted');
  return {
    found: sum('found') / planted,
    atPlace: sum('atPlace') / planted,
    findings: sum('findings') / planted,
    answered: sum('answered') / sum('answerable'),
  };
}
