import { versioned } from '../../../reporters/index.js';
import { planText } from '../../../reporters/results/index.js';
import { renderFacts, renderTable, type TableLook } from '../../../reporters/terminal/index.js';
import {
  coverageOf,
  planToJson,
  type Share,
  type Space,
  type StrategyName,
  setCount,
  strategies,
  toPlan,
} from '../../../runner/index.js';
import {
  type CommandContext,
  CommandFailure,
  type ExitCode,
  exitCodes,
} from '../../runtime/command.js';
import { tableLook } from '../../runtime/io.js';
import type { RunFlags } from './flags.js';
import { type Prepared, printWarnings } from './prepare.js';

/** Shows the first sets of a run and what they cover. */
export function previewRun(context: CommandContext, prepared: Prepared, flags: RunFlags): ExitCode {
  const { io } = context;
  const { objective, space, record } = prepared;
  const { attempts: most } = objective.stoppingConditions;
  const attempts = most === undefined ? undefined : Number(most);
  printWarnings(io, prepared);
  const [{ format } = { format: 'pretty' }] = flags.format;
  if (format === 'junit' || format === 'html') {
    throw new CommandFailure(
      exitCodes.usage,
      `--plan makes no attempts that ${format} could report`,
    );
  }
  if (format === 'pretty') {
    io.stdout.write(previewText(space, record.strategy, record.seed, attempts, tableLook(context)));
    return exitCodes.ok;
  }
  const draw = strategies[record.strategy](space, record.seed);
  const shown = [...setsUpTo(draw, Math.min(SHOWN, attempts ?? SHOWN))];
  io.stdout.write(
    versioned({
      seed: String(record.seed),
      strategy: record.strategy,
      different_sets: setCount(space)?.toString(),
      sets: shown.map((set) => planToJson(toPlan(space, set))),
      coverage: coverageSteps(attempts).map((size) => {
        const { cells, pairs } = coverageOf(space, setsUpTo(draw, size));
        return { attempts: size, values: cells, pairs };
      }),
    }),
  );
  return exitCodes.ok;
}

/** What stands for a strategy whose later sets follow from what is measured. */
const GUIDED = 'guided; without margins, as here, it is mixed';
/** How many sets are shown. */
const SHOWN = 10;
/** For which numbers of sets the coverage is shown. */
const STEPS = [10, 100, 1_000];

/** What `--plan` shows: the first sets, and how much of the space they and more of them cover. */
function previewText(
  space: Space,
  strategy: StrategyName,
  seed: bigint,
  attempts: number | undefined,
  look: TableLook,
): string {
  const draw = strategies[strategy](space, seed);
  const count = Math.min(SHOWN, attempts ?? SHOWN);
  const rows = Array.from({ length: count }, (_, n) => [
    `${n + 1}`,
    planText(toPlan(space, draw(n))),
  ]);
  const sizes = coverageSteps(attempts);
  const different = setCount(space);
  const coverage = sizes.map((size) => {
    const { cells, pairs } = coverageOf(space, setsUpTo(draw, size));
    return [`${size}`, shareText(cells), shareText(pairs)];
  });
  return [
    renderFacts(
      [
        ['strategy', strategy === 'guided' ? GUIDED : strategy],
        ['seed', String(seed)],
        ['mutators', `${space.mutators.length}, at most ${space.most} at a time`],
        ...(different === undefined
          ? []
          : [['sets', `${different}, each once before any comes again`] as const]),
      ],
      look,
    ),
    renderTable(['ATTEMPT', 'SET'], rows, look),
    renderTable(['ATTEMPTS', 'VALUES COVERED', 'PAIRS COVERED'], coverage, look),
  ].join('\n');
}

/** For which numbers of sets the coverage is shown: up to the number of attempts, where it is known. */
function coverageSteps(attempts: number | undefined): readonly number[] {
  if (attempts === undefined) return STEPS;
  const most = Math.min(attempts, STEPS.at(-1) as number);
  return [...new Set([...STEPS.filter((step) => step < most), most])];
}

/** The first sets. */
function* setsUpTo<T>(draw: (n: number) => T, count: number): Generator<T> {
  for (let n = 0; n < count; n += 1) yield draw(n);
}

function shareText({ covered, all }: Share): string {
  if (all === 0) return 'none to cover';
  return `${covered} of ${all} (${Math.floor((100 * covered) / all)} %)`;
}
