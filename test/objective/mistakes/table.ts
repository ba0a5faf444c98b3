import { readFileSync } from 'node:fs';
import { allRules } from '../../../src/cli/rules.js';
import { readSettings } from '../../../src/config/index.js';
import type { Finding } from '../../../src/diagnostics/index.js';
import { recordedOf } from '../../../src/expression/index.js';
import { createCatalog, loadManifest } from '../../../src/mutators/index.js';
import { lintText } from '../../../src/objective/index.js';
import { decodeSource } from '../../../src/source/index.js';
import type { Dice } from '../../dice.js';
import { vocabularyIn } from '../recordings.js';
import { CHECK_MISTAKES, RIGHT_CHECK } from './expressions.js';
import { LONE_MISTAKES, MISTAKES, type Mistake, RIGHT, SLIPS } from './objective.js';
import {
  BENCH_SESSION,
  CONFIG_MISTAKES,
  MANIFEST_MISTAKES,
  RECORDED_MISTAKES,
  RIGHT_CONFIG,
  RIGHT_MANIFEST,
} from './others.js';

const bench = readFileSync('fixtures/objective/catalog/bench.mutators.toml');
const { manifest } = loadManifest(decodeSource('m.toml', bench));
export const catalog = createCatalog(
  (manifest?.mutators ?? []).map((mutator) => ({ ...mutator, origin: 'm.toml' })),
);

/** A right file, and what lint finds in one like it. */
export interface RightFile {
  readonly right: string;
  readonly find: (text: string) => readonly Finding[];
}

/** A mistake, and the file that it is made in. */
export interface Row {
  readonly kind: string;
  /** Text that the right file has once. */
  readonly anchor: string;
  /** What is written for it, with « and » around what a finding points at. */
  readonly written: string;
  /** The one right answer. */
  readonly answer: string | undefined;
  readonly file: RightFile;
}

/** The same text is planted again and again, as there are few layouts; it is checked once. */
function once(find: RightFile['find']): RightFile['find'] {
  const found = new Map<string, readonly Finding[]>();
  return (text) => {
    const findings = found.get(text) ?? find(text);
    found.set(text, findings);
    return findings;
  };
}

const recorded = recordedOf(await vocabularyIn(BENCH_SESSION), []);

export const OBJECTIVE: RightFile = {
  right: RIGHT,
  find: once((text) => lintText('x.toml', text, { catalog })),
};

const LONE: RightFile = { right: RIGHT, find: once((text) => lintText('x.toml', text)) };

const FILES: readonly (readonly [RightFile, readonly Mistake[]])[] = [
  [OBJECTIVE, MISTAKES],
  [LONE, LONE_MISTAKES],
  [{ right: RIGHT_CHECK, find: LONE.find }, CHECK_MISTAKES],
  [
    {
      right: RIGHT,
      find: once((text) => lintText('x.toml', text, { catalog, ...(recorded && { recorded }) })),
    },
    RECORDED_MISTAKES,
  ],
  [
    {
      right: RIGHT_MANIFEST,
      find: once((text) => loadManifest(decodeSource('mutators.toml', Buffer.from(text))).findings),
    },
    MANIFEST_MISTAKES,
  ],
  [
    {
      right: RIGHT_CONFIG,
      find: once(
        (text) => readSettings(decodeSource('perturb.toml', Buffer.from(text)), allRules).findings,
      ),
    },
    CONFIG_MISTAKES,
  ],
];

export const RIGHT_FILES: readonly RightFile[] = FILES.map(([file]) => file);

/** Every mistake. */
export const ROWS: readonly Row[] = [
  ...SLIPS.map((marked) => misspelt(marked, (word) => word + word.at(-1))),
  ...FILES.flatMap(([file, mistakes]) =>
    mistakes.map(([kind, anchor, written, answer]) => ({ kind, anchor, written, answer, file })),
  ),
];

/** A row for a word that is marked in the right objective, with that word misspelt. */
export function misspelt(marked: string, slip: (word: string) => string): Row {
  const [before = '', word = '', after = ''] = marked.split(/[«»]/);
  // What is wrong with a string of TOML is marked from its quote on.
  const isString = before.endsWith('"') && after.startsWith('"');
  const written = isString
    ? `${before.slice(0, -1)}«"${slip(word)}"»${after.slice(1)}`
    : `${before}«${slip(word)}»${after}`;
  return {
    kind: `misspelt ${marked.replaceAll('\n', ' ').trim()}`,
    anchor: before + word + after,
    written,
    answer: word,
    file: OBJECTIVE,
  };
}

/** The file with a mistake, after a note and with its line ends, and where the mistake begins. */
export function withMistake(
  { anchor, written, file: { right } }: Row,
  { note, end }: { readonly note: string; readonly end: string } = { note: '', end: '\n' },
): { readonly text: string; readonly at: number } {
  if (right.split(anchor).length !== 2) throw new Error(`not once in the file: ${anchor}`);
  const marked = (note + right.replace(anchor, () => written)).replaceAll('\n', end);
  return { text: marked.replaceAll(/[«»]/g, ''), at: marked.indexOf('«') };
}

/** A layout of a file, by chance. */
export function layout(dice: Dice) {
  return { note: dice.pick(['', '# a note\n', '# wind 🌬\n\n']), end: dice.pick(['\n', '\r\n']) };
}
