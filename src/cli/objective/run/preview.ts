import { coverageOf, planToJson, type Share, strategies, toPlan } from '../../../runner/index.js';
import { jsonNumber } from '../../../values/index.js';
import type { Context } from '../../runtime/command.js';
import { type ExitCode, exitCodes } from '../../runtime/exit-codes.js';
import { Failure } from '../../runtime/failure.js';
import { lookOf } from '../../terminal/output-format.js';
import { versioned } from '../../terminal/versioned-json.js';
import type { RunFlags } from './flags.js';
import { coverageSteps, previewText, SHOWN, setsUpTo } from './plan-text.js';
import type { Prepared } from './prepare.js';
import { tellNotes } from './tell-notes.js';

/** Shows the first sets of a run and what they cover. */
export function previewRun(context: Context, prepared: Prepared, flags: RunFlags): ExitCode {
  const { io } = context;
  const { objective, space, record } = prepared;
  const { attempts: most } = objective.stoppingConditions;
  const attempts = most === undefined ? undefined : Number(most);
  tellNotes(io, prepared);
  if (flags.format === 'junit') {
    throw new Failure(exitCodes.usage, '--plan makes no attempts that junit could report');
  }
  if (flags.format === 'pretty') {
    io.stdout.write(previewText(space, record.strategy, record.seed, attempts, lookOf(context)));
    return exitCodes.ok;
  }
  const draw = strategies[record.strategy](space, record.seed);
  const shown = [...setsUpTo(draw, Math.min(SHOWN, attempts ?? SHOWN))];
  io.stdout.write(
    versioned({
      seed: String(record.seed),
      strategy: record.strategy,
      sets: shown.map((set) => planToJson(toPlan(space, set))),
      coverage: coverageSteps(attempts).map((size) => {
        const { cells, pairs } = coverageOf(space, setsUpTo(draw, size));
        return {
          attempts: jsonNumber(String(size)),
          values: shareToJson(cells),
          pairs: shareToJson(pairs),
        };
      }),
    }),
  );
  return exitCodes.ok;
}

function shareToJson({ covered, all }: Share) {
  return { covered: jsonNumber(String(covered)), all: jsonNumber(String(all)) };
}
