import type { DoneAttempt } from '../../runner/index.js';
import type { Markup } from '../markup.js';
import { OUTCOMES, outcomeMark } from './outcome-mark.js';
import { svg, text } from './svg.js';

const PER_ROW = 40;
const STEP = 18;
const LEFT = 50;
const TOP = 40;

/** The outcomes of attempts in their order, forty a row. */
export function outcomeStrip(attempts: readonly DoneAttempt[]): Markup {
  const rows = Math.ceil(attempts.length / PER_ROW);
  const [width, height] = [LEFT + PER_ROW * STEP + 10, TOP + rows * 24];
  const counts = OUTCOMES.map(
    (outcome) => `${attempts.filter(({ result }) => result.outcome === outcome).length} ${outcome}`,
  );
  return svg(
    { width, height, label: `The outcomes of ${attempts.length} attempts: ${counts.join(', ')}` },
    OUTCOMES.map((outcome, at) => [
      outcomeMark(outcome, LEFT + at * 140, 14),
      text(LEFT + at * 140 + 12, 18, counts[at] as string),
    ]),
    Array.from({ length: rows }, (_, row) =>
      text(LEFT - 16, TOP + row * 24 + 4, `${row * PER_ROW + 1}`, 'end'),
    ),
    attempts.map(({ result }, at) =>
      outcomeMark(
        result.outcome,
        LEFT + (at % PER_ROW) * STEP,
        TOP + Math.floor(at / PER_ROW) * 24,
      ),
    ),
  );
}
