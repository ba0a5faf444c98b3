import type { Outcome, Plan } from '../runner/index.js';
import { rangePartsOf } from './parts.js';
import { percent } from './rates.js';
import { type SpaceParameter, valueIn } from './regions.js';

/** A plane of two parameters, divided into cells with the attempts' results. */
export interface HeatMap {
  /** The edges of the columns (`x`) and rows (`y`) along the axes, from 0 to 1. */
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly shows: 'failure rate' | 'mean margin';
  /** The range of each colour, in ascending order of failure rates or margins. */
  readonly levels: readonly string[];
  /** The cells that contain judged attempts. */
  readonly cells: readonly HeatCell[];
}

export interface HeatCell {
  /** Column index, from the left; `row` counts from the bottom. */
  readonly column: number;
  readonly row: number;
  /** Index into the levels. */
  readonly level: number;
  /** The ranges of both parameters. */
  readonly texts: readonly [x: string, y: string];
  readonly tried: number;
  readonly failed: number;
  /** The mean margin; present if all attempts on the map have margins. */
  readonly margin?: number;
}

/** An attempt of a heat map. */
export interface HeatAttempt {
  readonly plan: Plan;
  readonly outcome: Outcome;
  readonly margin: number | undefined;
}

/** Number of attempts per cell, if attempts were evenly distributed. */
const PER_CELL = 2;
/** Minimum and maximum number of columns and of rows. */
const [LEAST, MOST] = [2, 12];

/**
 * Groups attempts into cells that evenly divide the scales of two parameters. The number of cells
 * grows with the number of attempts. Returns undefined if no judged attempt has values of both
 * parameters.
 */
export function heatMapOf(
  attempts: readonly HeatAttempt[],
  [first, second]: readonly [SpaceParameter, SpaceParameter],
): HeatMap | undefined {
  const judged = attempts.flatMap(({ plan, outcome, margin }) => {
    const [x, y] = [valueIn(plan, first), valueIn(plan, second)];
    if (x === undefined || y === undefined) return [];
    if (outcome !== 'passed' && outcome !== 'failed') return [];
    return [{ x, y, failed: outcome === 'failed', margin }];
  });
  if (judged.length === 0) return undefined;
  const side = Math.min(MOST, Math.max(LEAST, Math.floor(Math.sqrt(judged.length / PER_CELL))));
  // The options of a choice have no scale to divide.
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

/**
 * True if margins are more informative than outcomes. Requires margins for all attempts, more than
 * two different margins, and positive margins for passing attempts.
 */
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

/** Maximum failure rate of each level, except the first level, which is for a rate of 0. */
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

/** Candidate widths of a margin level. Each side of 0 has three levels. */
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
