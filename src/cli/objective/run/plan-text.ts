import {
  coverageOf,
  type Plan,
  type Share,
  type Space,
  type StrategyName,
  strategies,
  toPlan,
} from '../../../runner/index.js';
import { format } from '../../../values/index.js';
import { type Look, renderFacts, renderTable } from '../../terminal/table.js';

/** A set as people read it: `wind speed=12.5 mode=gust + link loss=0.4`. */
export function planText(plan: Plan): string {
  return plan
    .map(({ name, probe, params }) =>
      [
        probe === undefined ? name : `${name}@${probe}`,
        ...[...params].map(([key, value]) => `${key}=${format(value)}`),
      ].join(' '),
    )
    .join(' + ');
}

/** How many sets are shown. */
export const SHOWN = 10;
/** For which numbers of sets the coverage is shown. */
const STEPS = [10, 100, 1_000];

/** What `--plan` shows: the first sets, and how much of the space they and more of them cover. */
export function previewText(
  space: Space,
  strategy: StrategyName,
  seed: bigint,
  attempts: number | undefined,
  look: Look,
): string {
  const draw = strategies[strategy](space, seed);
  const count = Math.min(SHOWN, attempts ?? SHOWN);
  const rows = Array.from({ length: count }, (_, n) => [
    `${n + 1}`,
    planText(toPlan(space, draw(n))),
  ]);
  const sizes = coverageSteps(attempts);
  const coverage = sizes.map((size) => {
    const { cells, pairs } = coverageOf(space, setsUpTo(draw, size));
    return [`${size}`, shareText(cells), shareText(pairs)];
  });
  return [
    renderFacts(
      [
        ['strategy', strategy],
        ['seed', String(seed)],
        ['mutators', `${space.mutators.length}, at most ${space.most} at a time`],
      ],
      look,
    ),
    renderTable(['ATTEMPT', 'SET'], rows, look),
    renderTable(['ATTEMPTS', 'VALUES COVERED', 'PAIRS COVERED'], coverage, look),
  ].join('\n');
}

/** For which numbers of sets the coverage is shown: up to the number of attempts, where it is known. */
export function coverageSteps(attempts: number | undefined): readonly number[] {
  if (attempts === undefined) return STEPS;
  const most = Math.min(attempts, STEPS.at(-1) as number);
  return [...new Set([...STEPS.filter((step) => step < most), most])];
}

/** The first sets. */
export function* setsUpTo<T>(draw: (n: number) => T, count: number): Generator<T> {
  for (let n = 0; n < count; n += 1) yield draw(n);
}

function shareText({ covered, all }: Share): string {
  if (all === 0) return 'none to cover';
  return `${covered} of ${all} (${Math.floor((100 * covered) / all)} %)`;
}
