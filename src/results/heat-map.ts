import type { Outcome, Plan } from '../runner/index.js';
import { rangePartsOf } from './parts.js';
import { percent } from './rates.js';
import { type ParameterOf, valueIn } from './regions.js';

/** The plane of two parameters in cells, each with the results of its attempts. */
export interface HeatMap {
  /** The borders of the columns and the rows along the axes, from 0 to 1. */
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly shows: 'failure rate' | 'mean margin';
  /** The ranges of values that a colour stands for: rates from none to all, margins from the worst to the best. */
  readonly levels: readonly string[];
  /** The cells with judged attempts. */
  readonly cells: readonly HeatCell[];
}

export interface HeatCell {
  /** Counted from the left, and from the bottom. */
  readonly column: number;
  readonly row: number;
  /** A place in the levels. */
  readonly level: number;
  /** The values of both parameters. */
  readonly texts: readonly [x: string, y: string];
  readonly tried: number;
  readonly failed: number;
  /** Their mean, where each attempt of the map has a margin. */
  readonly margin?: number;
}

/** An attempt of a heat map. */
export interface HeatAttempt {
  readonly plan: Plan;
  readonly outcome: Outcome;
  readonly margin: number | undefined;
}

/** An evenly filled map has this many attempts in each cell. */
const PER_CELL = 2;
/** The least and the greatest number of columns, and of rows. */
const [LEAST, MOST] = [2, 12];

/**
 * Returns the attempts of two parameters in cells, evenly on the scales of both axes; the more attempts there are, the
 * more cells. Undefined if no judged attempt has values of both.
 */
export function heatMapOf(
  attempts: readonly HeatAttempt[],
  [first, second]: readonly [ParameterOf, ParameterOf],
): HeatMap | undefined {
  const judged = attempts.flatMap(({ plan, outcome, margin }) => {
    const [x, y] = [valueIn(plan, first), valueIn(plan, second)];
    if (x === undefined || y === undefined) return [];
    if (outcome !== 'passed' && outcome !== 'failed') return [];
    return [{ x, y, failed: outcome === 'failed', margin }];
  });
  if (judged.length === 0) return undefined;
  const side = Math.min(MOST, Math.max(LEAST, Math.floor(Math.sqrt(judged.length / PER_CELL))));
  // Options have no scale that could be divided.
  const [columns, rows] = [first, second].map((one) => rangePartsOf(one.dimension, side, MOST)) as [
    ReturnType<typeof rangePartsOf>,
    ReturnType<typeof rangePartsOf>,
  ];
  const byCell = new Map<string, Omit<HeatCell, 'level'> & { readonly margins: number[] }>();
  for (const { x, y, failed, margin } of judged) {
    const [column, row] = [columns.placeOf(x), rows.placeOf(y)];
    const key = `${column} ${row}`;
    const texts = [columns.texts[column] ?? '', rows.texts[row] ?? ''] as const;
    const cell = byCell.get(key) ?? { column, row, texts, tried: 0, failed: 0, margins: [] };
    byCell.set(key, {
      ...cell,
      tried: cell.tried + 1,
      failed: cell.failed + Number(failed),
      margins: margin === undefined ? cell.margins : [...cell.margins, margin],
    });
  }
  const cells = [...byCell.values()]
    .map(({ margins, ...cell }) => ({ ...cell, margin: mean(margins) }))
    .sort((a, b) => b.row - a.row || a.column - b.column);
  const axes = { x: columns.edges, y: rows.edges };
  return hasDegrees(judged)
    ? { ...axes, shows: 'mean margin', ...marginLevels(cells) }
    : { ...axes, shows: 'failure rate', ...rateLevels(cells) };
}

/** True if margins say more than outcomes: each attempt has one, they differ, and those of passes are above 0. */
function hasDegrees(
  judged: readonly { readonly failed: boolean; readonly margin: number | undefined }[],
): boolean {
  const isKnown = judged.every(
    ({ failed, margin }) => margin !== undefined && (failed || margin > 0),
  );
  return isKnown && new Set(judged.map(({ margin }) => margin)).size > 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value / values.length, 0);
}

type Unlevelled = Omit<HeatCell, 'level' | 'margin'> & { readonly margin: number };

/** The greatest rate of each level but the first, which never failed. */
const RATES = [0.25, 0.5, 0.75, 1];

function rateLevels(cells: readonly Unlevelled[]): Pick<HeatMap, 'levels' | 'cells'> {
  return {
    levels: ['0 %', ...RATES.map((rate) => `≤ ${percent(rate)} %`)],
    cells: cells.map(({ margin: _, ...cell }) => {
      const rate = cell.failed / cell.tried;
      return { ...cell, level: rate === 0 ? 0 : 1 + RATES.findIndex((most) => rate <= most) };
    }),
  };
}

/** Widths of a level of margins; there are three levels on either side of 0. */
const MARGIN_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3];

function marginLevels(cells: readonly Unlevelled[]): Pick<HeatMap, 'levels' | 'cells'> {
  const greatest = Math.max(...cells.map(({ margin }) => Math.abs(margin)));
  const step = MARGIN_STEPS.find((one) => 3 * one >= greatest) ?? (MARGIN_STEPS.at(-1) as number);
  const ends = [-2, -1, 0, 1, 2].map((times) => times * step);
  const most = ends.map((end) => `${percent(end)} %`);
  return {
    levels: [...most.map((end) => `≤ ${end}`), `> ${most.at(-1)}`],
    cells: cells.map((cell) => ({
      ...cell,
      level: ends.filter((end) => cell.margin > end).length,
    })),
  };
}
