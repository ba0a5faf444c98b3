import type { DoneAttempt } from '../../runner/index.js';
import type { Markup } from '../markup.js';
import { OUTCOMES, outcomeMark } from './outcome-mark.js';
import { DIM, svg, text } from './svg.js';

const PER_ROW = 20;
const [STEP, ROW] = [15, 18];
const LEFT = 50;
const TOP = 56;

/** The outcomes of attempts in their order, twenty a row: it can be read on a telephone. */
export function outcomeStrip(attempts: readonly DoneAttempt[]): Markup {
  const rows = Math.ceil(attempts.length / PER_ROW);
  const [width, height] = [LEFT + PER_ROW * STEP + 10, TOP + rows * ROW];
  const counts = OUTCOMES.map(
    (outcome) => `${attempts.filter(({ result }) => result.outcome === outcome).length} ${outcome}`,
  );
  return svg(
    { width, height, label: `The outcomes of ${attempts.length} attempts: ${counts.join(', ')}` },
    OUTCOMES.map((outcome, at) => {
      const [x, y] = [LEFT + (at % 2) * 140, 12 + Math.floor(at / 2) * 20];
      return [outcomeMark(outcome, x, y), text(x + 12, y + 4, counts[at] as string)];
    }),
    Array.from({ length: rows }, (_, row) =>
      text(LEFT - 16, TOP + row * ROW + 4, `${row * PER_ROW + 1}`, 'end', DIM),
    ),
    attempts.map(({ result }, at) =>
      outcomeMark(
        result.outcome,
        LEFT + (at % PER_ROW) * STEP,
        TOP + Math.floor(at / PER_ROW) * ROW,
      ),
    ),
  );
}
