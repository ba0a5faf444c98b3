import { type Command, Option } from 'commander';
import type { Evidence } from '../../evaluation/index.js';
import type { Objective } from '../../objective/index.js';
import type { Markup } from '../../report/index.js';
import type { Session } from '../../session/index.js';
import { writeReportFile } from '../files/write-file.js';
import type { CommandContext } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/command.js';
import { addBudgetOption, wholeNumber } from '../runtime/options.js';
import { startProgress } from '../runtime/progress.js';
import type { EvaluateFlags, OpenedSession } from '../session/engine.js';
import { addEngineFlags, ENGINE_WORDS, withEngine } from '../session/engine.js';
import { addSessionFlags } from '../session/read-source.js';
import { versioned } from '../terminal/versioned-json.js';
import { drawEvidence } from '../verdict/draw-evidence.js';
import { type Measured, outcomeOf, type SessionVerdict, worst } from '../verdict/measured.js';
import { inside, paintFor, type VerdictLook, verdictLook } from '../verdict/paint.js';
import { verdictToJson } from '../verdict/verdict-json.js';
import { verdictJunit } from '../verdict/verdict-junit.js';
import { allText, BODY, sessionText, totalText } from '../verdict/verdict-text.js';
import { loadDesign } from './load-design.js';
import { addStoreFlags, type StoreFlags } from './store.js';

interface Flags extends EvaluateFlags, StoreFlags {
  readonly format: 'pretty' | 'json' | 'junit';
  readonly evidence: number;
  readonly report?: string;
}

export const completions = { engine: ENGINE_WORDS };

export function configure(command: Command): void {
  command
    .argument('<objective>', 'a file, - for stdin, or NAME or NAME@REVISION of the store')
    .argument(
      '<session...>',
      'sessions, in any format that "perturb session import" reads; - for stdin',
    )
    .addOption(
      new Option('-f, --format <name>', 'how to print')
        .choices(['pretty', 'json', 'junit'])
        .default('pretty'),
    )
    .addOption(
      new Option('--evidence <n>', 'how many bindings to show where no max or min asks for one')
        .argParser(wholeNumber)
        .default(1),
    )
    .option('--report <path>', 'write a report to this HTML file');
  addStoreFlags(addSessionFlags(addBudgetOption(addEngineFlags(command)))).addHelpText(
    'after',
    `
Applies each measurement to each session. An <objective> that ends in .toml, or that
is a file, is read from that file; any other is looked up in the store. It is linted
first.

With --engine clickhouse:URL, sessions are measured where "perturb session load"
put them: name each by its file, or as load printed it.

Exit codes: 0 all passed, 1 some failed or the objective has errors, 2 wrong
usage or a session cannot be read, 4 undecided, or the store or the engine cannot
be used.

Examples:
  perturb objective measure wind.objective.toml flight7.session.jsonl
  perturb objective measure wind.objective.toml flight7.session.jsonl --report wind.html
  perturb objective measure "Drone in wind@2" flights/*.session.jsonl --format junit
  perturb objective measure wind.objective.toml flight7.session.jsonl \\
    --engine clickhouse:http://lab@db.example:8123/perturb
`,
  );
}

export async function run(
  context: CommandContext,
  [word, paths]: readonly [string, readonly string[]],
  flags: Flags,
): Promise<ExitCode> {
  const { io } = context;
  const isPretty = flags.format === 'pretty';
  const look = isPretty
    ? verdictLook(context)
    : { ...verdictLook(context), paint: paintFor(false) };
  const objective = await loadDesign(context, word, flags);
  if (objective === undefined) return exitCodes.findings;
  const verdicts = await withEngine(context, flags, async (engine) => {
    const all: SessionVerdict[] = [];
    for (const path of paths) {
      const recording = await engine.open(path);
      const verdict: SessionVerdict =
        'unread' in recording
          ? { session: path, measurements: [], unread: recording.unread }
          : {
              session: path,
              measurements: await measureAll(context, recording, objective, flags, look),
            };
      all.push(verdict);
      if (isPretty && verdict.unread === undefined) {
        io.stdout.write(`${sessionText(verdict, look)}\n`);
      }
    }
    return all;
  });
  if (isPretty) {
    if (paths.length > 1) io.stdout.write(`${allText(verdicts, look)}\n`);
    io.stdout.write(totalText(verdicts, look.paint));
  } else if (flags.format === 'json') {
    io.stdout.write(versioned(verdictToJson(objective.name, verdicts)));
  } else {
    io.stdout.write(verdictJunit(objective.name, verdicts));
  }
  if (flags.report !== undefined) {
    await writeReport(context, flags.report, objective.name, verdicts);
  }
  return exitCodeOf(verdicts);
}

async function measureAll(
  { io }: CommandContext,
  recording: OpenedSession,
  { measurements }: Objective,
  { evidence, report }: Flags,
  look: VerdictLook,
): Promise<Measured[]> {
  const progress = startProgress(io.stderr, measurements.length, 'measurements');
  const measured: Measured[] = [];
  for (const { name, shouldPass, check } of measurements) {
    const evaluation = await recording.evaluate(check.expression, evidence, progress.part);
    const one: Measured = { name, shouldPass, evaluation };
    const [first] = outcomeOf(one) === 'failed' ? evaluation.evidence : [];
    const { session } = recording;
    const diagram = first && drawEvidence(session, evaluation, inside(look, BODY));
    const picture = report && first && session && (await pictureOf(session, first));
    measured.push({ ...one, ...(diagram && { diagram }), ...(picture && { picture }) });
    progress.step();
  }
  progress.end();
  return measured;
}

/** The room of reports is loaded when one is asked for. */
async function pictureOf(session: Session, evidence: Evidence): Promise<Markup | undefined> {
  const { spaceTime } = await import('../../report/index.js');
  return spaceTime(session, evidence);
}

async function writeReport(
  { io }: CommandContext,
  file: string,
  objective: string,
  verdicts: readonly SessionVerdict[],
): Promise<void> {
  const { measureReport } = await import('../../report/index.js');
  const sessions = verdicts.map(({ session: name, ...rest }) => ({ name, ...rest }));
  writeReportFile(io.cwd, file, measureReport({ objective, sessions }));
}

function exitCodeOf(verdicts: readonly SessionVerdict[]): ExitCode {
  if (verdicts.some(({ unread }) => unread !== undefined)) return exitCodes.usage;
  const outcome = worst(verdicts.flatMap(({ measurements }) => measurements.map(outcomeOf)));
  if (outcome === 'failed') return exitCodes.findings;
  return outcome === 'undecided' ? exitCodes.unavailable : exitCodes.ok;
}
