import type { Dice } from '../../dice.js';
import { SLIPS } from './objective.js';
import { layout, misspelt, ROWS, type Row, withMistake } from './table.js';

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

/** Plants each kind of mistake `times` times, and lints each file with one mistake. */
export function scoreMistakes(dice: Dice, times: number): Score[] {
  return ROWS.map((row, index) => {
    const marked = SLIPS[index];
    const counts = { planted: 0, found: 0, atPlace: 0, findings: 0, answerable: 0, answered: 0 };
    const score: Score = { kind: row.kind, ...counts };
    for (let time = 0; time < times; time += 1) {
      judge(score, dice, marked === undefined ? row : misspelt(marked, (word) => slip(dice, word)));
    }
    return score;
  });
}

/** One slip of the hand in a word: a letter twice, left out, or changed places. */
function slip(dice: Dice, word: string): string {
  const slips: string[] = [];
  for (let at = 1; at < word.length - 1; at += 1) {
    const [head, one, two, tail] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
    slips.push(`${head}${one}${one}${two}${tail}`);
    if (one !== two) slips.push(`${head}${two}${one}${tail}`);
    if (word.length > 4) slips.push(`${head}${two}${tail}`);
  }
  if (word.length < 3) slips.push(`${word}${word.at(-1)}`);
  return dice.pick(slips.filter((one) => one !== word));
}

function judge(score: Score, dice: Dice, row: Row): void {
  const { text, at } = withMistake(row, layout(dice));
  const findings = row.file.find(text);
  score.planted += 1;
  score.findings += findings.length;
  if (findings.length > 0) score.found += 1;
  // Of what is missing there is no place.
  if (findings.some(({ span }) => at < 0 || span.start === at)) score.atPlace += 1;
  const { answer } = row;
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
