import { type Command, Option } from 'commander';
import type { Objective } from '../../objective/index.js';
import type { Session } from '../../session/index.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { startProgress } from '../runtime/progress.js';
import { addSourceFlags, type SourceFlags } from '../session/read-source.js';
import { versioned } from '../terminal/versioned-json.js';
import { drawEvidence } from '../verdict/draw-evidence.js';
import { addEngineOption, type Engine, type EngineFlags, engineOf } from '../verdict/engine.js';
import { type Measured, outcomeOf, type SessionVerdict, worst } from '../verdict/measured.js';
import { paintFor, type VerdictLook, verdictLook } from '../verdict/paint.js';
import { readRecording } from '../verdict/read-recording.js';
import { addBudgetOption, type BudgetFlags, wholeNumber } from '../verdict/search-options.js';
import { verdictToJson } from '../verdict/verdict-json.js';
import { verdictJunit } from '../verdict/verdict-junit.js';
import { allText, sessionText, totalText } from '../verdict/verdict-text.js';
import { loadDesign } from './load-design.js';
import { addStoreFlags, type StoreFlags } from './store.js';

interface Flags extends SourceFlags, StoreFlags, EngineFlags, BudgetFlags {
  readonly format: 'pretty' | 'json' | 'junit';
  readonly evidence: number;
}

export const completions = { engine: ['embedded'] };

export function configure(command: Command): void {
  command
    .argument('<objective>', 'a file, - for stdin, or NAME or NAME@REVISION of the store')
    .argument('<session...>', 'sessions, in any format that "perturb session import" reads')
    .addOption(
      new Option('-f, --format <name>', 'how to print')
        .choices(['pretty', 'json', 'junit'])
        .default('pretty'),
    )
    .addOption(
      new Option('--evidence <n>', 'how many bindings to show where no max or min asks for one')
        .argParser(wholeNumber)
        .default(1),
    );
  addStoreFlags(addSourceFlags(addBudgetOption(addEngineOption(command)))).addHelpText(
    'after',
    `
Applies each measurement to each session. A word that ends in .toml, or that is a
file, means that file. The objective is checked first.

Exit codes: 0 all passed, 1 some failed or the objective has errors, 2 wrong
usage or a session cannot be read, 4 undecided or the store cannot be used.

Examples:
  perturb objective measure wind.objective.toml flight7.session.jsonl
  perturb objective measure "Drone in wind@2" flights/*.session.jsonl --format junit
`,
  );
}

export async function run(
  context: Context,
  [word, paths]: readonly [string, readonly string[]],
  flags: Flags,
): Promise<ExitCode> {
  const { io } = context;
  const engine = engineOf(flags.engine);
  const objective = await loadDesign(context, word, flags);
  if (objective === undefined) return exitCodes.findings;
  const isPretty = flags.format === 'pretty';
  const look = isPretty
    ? verdictLook(context)
    : { ...verdictLook(context), paint: paintFor(false) };
  const verdicts: SessionVerdict[] = [];
  for (const path of paths) {
    const recording = await readRecording(context, path, flags);
    const verdict: SessionVerdict =
      'unread' in recording
        ? { session: path, measurements: [], unread: recording.unread }
        : {
            session: path,
            measurements: await measureAll(context, engine, objective, recording.session, {
              evidence: flags.evidence,
              budget: flags.budget,
              look,
            }),
          };
    verdicts.push(verdict);
    if (isPretty && verdict.unread === undefined) {
      io.stdout.write(`${sessionText(verdict, look)}\n`);
    }
  }
  if (isPretty) {
    if (paths.length > 1) io.stdout.write(`${allText(verdicts, look)}\n`);
    io.stdout.write(totalText(verdicts, look.paint));
  } else if (flags.format === 'json') {
    io.stdout.write(versioned(verdictToJson(objective.name, verdicts)));
  } else {
    io.stdout.write(verdictJunit(objective.name, verdicts));
  }
  return exitCodeOf(verdicts);
}

async function measureAll(
  { io }: Context,
  engine: Engine,
  { measurements }: Objective,
  session: Session,
  { look, ...options }: Pick<Flags, 'evidence' | 'budget'> & { readonly look: VerdictLook },
): Promise<Measured[]> {
  const progress = startProgress(io.stderr, measurements.length, 'measurements');
  const measured: Measured[] = [];
  for (const { name, shouldPass, check } of measurements) {
    const evaluation = await engine.evaluate(session, check.expression, options);
    const one: Measured = { name, shouldPass, evaluation };
    const isDrawn = outcomeOf(one) === 'failed' && evaluation.evidence.length > 0;
    measured.push(isDrawn ? { ...one, diagram: drawEvidence(session, evaluation, look) } : one);
    progress.step();
  }
  progress.end();
  return measured;
}

function exitCodeOf(verdicts: readonly SessionVerdict[]): ExitCode {
  if (verdicts.some(({ unread }) => unread !== undefined)) return exitCodes.usage;
  const outcome = worst(verdicts.flatMap(({ measurements }) => measurements.map(outcomeOf)));
  if (outcome === 'failed') return exitCodes.findings;
  return outcome === 'undecided' ? exitCodes.unavailable : exitCodes.ok;
}
