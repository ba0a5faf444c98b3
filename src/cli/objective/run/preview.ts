import { toVersionedJson } from '../../../reporters/index.js';
import { renderFacts, renderTable, type TableStyle } from '../../../reporters/terminal/index.js';
import { planText } from '../../../results/index.js';
import {
  countSets,
  coverageOf,
  planToJson,
  type Share,
  strategies,
  toPlan,
} from '../../../runner/index.js';
import { resultDestinations, writeReports } from '../../files/report.js';
import {
  type CommandContext,
  type ExitCode,
  exitCodes,
  usageFailure,
} from '../../runtime/command.js';
import { PLAIN_STYLE, tableLook } from '../../runtime/io.js';
import type { RunFlags } from './flags.js';
import { type PreparedRun, printWarnings } from './prepare.js';

/** The note for a strategy whose later sets depend on measurements. */
const GUIDED = 'guided (here the same as mixed, because there are no margins)';
const SHOWN = 10;
/** Default numbers of sets at which to show the coverage. */
const STEPS = [10, 100, 1_000];

/** Prints a run's first sets, and the space coverage after increasing numbers of sets. */
export async function previewRun(
  context: CommandContext,
  prepared: PreparedRun,
  flags: RunFlags,
): Promise<ExitCode> {
  const { objective, space, record } = prepared;
  const { seed, strategy } = record;
  const { attempts: most } = objective.stoppingConditions;
  const attempts = most === undefined ? undefined : Number(most);
  printWarnings(context.io, prepared);
  const reports = resultDestinations(context.io.cwd, flags);
  const useless = reports.find(({ format }) => format === 'junit' || format === 'html');
  if (useless !== undefined) {
    throw usageFailure(`--plan makes no attempts to report as ${useless.format}`);
  }
  const draw = strategies[strategy](space, seed);
  const first = [...setsUpTo(draw, Math.min(SHOWN, attempts ?? SHOWN))];
  const plans = first.map((set) => toPlan(space, set));
  const coverage = coverageSteps(attempts).map((size) => {
    const { cells, pairs } = coverageOf(space, setsUpTo(draw, size));
    return { attempts: size, values: cells, pairs };
  });
  const different = countSets(space)?.toString();
  const members = {
    ...{ seed: String(seed), strategy, different_sets: different },
    ...{ sets: plans.map(planToJson), coverage },
  };
  const text = (look: TableStyle) =>
    [
      renderFacts(
        [
          ['strategy', strategy === 'guided' ? GUIDED : strategy],
          ['seed', String(seed)],
          ['mutators', `${space.mutators.length}, at most ${space.maxMutations} at a time`],
          ['sets', different && `${different}, each used once before any is repeated`],
        ],
        look,
      ),
      renderTable(
        ['ATTEMPT', 'SET'],
        plans.map((plan, n) => [`${n + 1}`, planText(plan)]),
        look,
      ),
      renderTable(
        ['ATTEMPTS', 'VALUES COVERED', 'PAIRS COVERED'],
        coverage.map((one) => [`${one.attempts}`, shareText(one.values), shareText(one.pairs)]),
        look,
      ),
    ].join('\n');
  await writeReports(context.io, reports, (format, onStdout) =>
    format === 'json'
      ? toVersionedJson(members)
      : text(onStdout ? tableLook(context) : PLAIN_STYLE),
  );
  return exitCodes.ok;
}

/**
 * Returns the numbers of sets at which to show the coverage, up to the number of attempts, if
 * known.
 */
function coverageSteps(attempts: number | undefined): readonly number[] {
  if (attempts === undefined) return STEPS;
  const most = Math.min(attempts, STEPS.at(-1) as number);
  return [...new Set([...STEPS.filter((step) => step < most), most])];
}

function* setsUpTo<T>(draw: (n: number) => T, count: number): Generator<T> {
  for (let n = 0; n < count; n += 1) yield draw(n);
}

function shareText({ covered, total }: Share): string {
  if (total === 0) return 'none to cover';
  return `${covered} of ${total} (${Math.floor((100 * covered) / total)} %)`;
}
