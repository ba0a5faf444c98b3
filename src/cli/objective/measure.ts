import { CommonOrder } from '../../evaluation/index.js';
import { requiredNamesByLabel } from '../../expression/index.js';
import type { Objective } from '../../objective/index.js';
import { formatJunit, toVersionedJson } from '../../reporters/index.js';
import {
  closingText,
  headlineText,
  measureText,
  measureToJson,
  renderMeasurementMarkdown,
  sessionText,
  testsOfMeasurements,
} from '../../reporters/results/index.js';
import { resultLook } from '../../reporters/terminal/index.js';
import {
  combinedVerdict,
  type MeasuredObjective,
  measuredSession,
  measuredVerdict,
  measurementDocument,
  picturedEvidence,
  pictureOf,
  type SessionResult,
} from '../../results/index.js';
import { eventNames, type Session, type Vocabulary, vocabularyOf } from '../../session/index.js';
import { readConfig } from '../config/config.js';
import { resultDestinations, resultOptions, writeReports } from '../files/report.js';
import {
  type CommandContext,
  type CommandHandler,
  type ExitCode,
  exitCodes,
} from '../runtime/command.js';
import { argument, type FlagsOf, option } from '../runtime/declare.js';
import { contextFor } from '../runtime/io.js';
import { failVacuousOption, parseWholeNumber, VACUOUS_FAILURE } from '../runtime/options.js';
import { startProgress } from '../runtime/progress.js';
import { decidingFindingsByMeasurement } from '../session/deciding.js';
import {
  baselineOption,
  evaluationOptions,
  excerptsOf,
  type OpenedSession,
  type OpenSession,
  readBaseline,
  withEngine,
} from '../session/engine.js';
import { IN_ANY_FORMAT, orderRequest } from '../session/read-source.js';
import { loadDesign } from './load.js';
import { onlyMeasurements, onlyOption } from './only.js';
import { storeOptions } from './store.js';

export const help = `
Evaluates each measurement on each session. An <objective> that ends in .toml or is
a file's path names that file; any other <objective> is a name in the store.
Perturb lints the objective first.

With --engine clickhouse:URL, first load the sessions with "perturb session load". Then
pass each session's file, or the id that load printed.

Exit codes: 0 all passed, 1 some failed, are vacuous with --fail-vacuous, or the
objective has errors, 2 invalid usage or a session cannot be read, 4 undecided, or
the store or the engine is unavailable.

Examples:
  perturb objective measure wind.objective.toml flight7.session.jsonl
  perturb objective measure wind.objective.toml flight7.session.jsonl --report wind.html
  perturb objective measure "Drone in wind@2" flights/*.session.jsonl --format junit
  perturb objective measure wind.objective.toml f7.session.jsonl --only @requirement=REQ-7
  perturb objective measure wind.objective.toml flight7.session.jsonl \\
    --engine clickhouse:http://lab@db.example:8123/perturb
`;

export const args = [
  argument('<objective>', 'a file, - for stdin, or NAME[@REVISION] in the store'),
  argument('<session...>', `sessions, ${IN_ANY_FORMAT}; - for stdin`),
] as const;

export const options = [
  option('--evidence <n>', 'number of bindings to show if no measure selects them', {
    read: parseWholeNumber,
    byDefault: 1,
  }),
  onlyOption,
  baselineOption,
  failVacuousOption('sessions'),
  ...resultOptions,
  ...evaluationOptions,
  ...storeOptions,
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (
  context,
  [word, paths],
  flags,
) => {
  const { io } = context;
  const reports = resultDestinations(io.cwd, flags, [word, ...paths, ...(flags.baseline ?? [])]);
  const isShown = reports.some(({ format, file }) => format === 'pretty' && file === undefined);
  // For a single session, the verdict comes first, so printing must wait for the last measurement.
  const isStreamed = isShown && paths.length > 1;
  const look = resultLook(contextFor(io, io.stdout, context.color));
  // Programs that read the result's sessions receive an empty list.
  const empty = measureToJson({ objective: word, sessions: [], findings: new Map() });
  const { findings: _, ...none } = { ...empty, passed: false };
  const design = await loadDesign(context, word, flags, none);
  if (design === undefined) return exitCodes.findings;
  const objective = onlyMeasurements(design.objective, flags.only);
  const isDrawn = reports.some(({ format }) => format === 'html');
  const settings = await readConfig(context, flags.config);
  const baseline = await readBaseline(context, flags.baseline ?? [], flags);
  if (baseline === undefined) return exitCodes.usage;
  const about = { baseline, expected: settings.expected };
  const vocabularies: Vocabulary[] = [];
  const sessions = await withEngine(context, flags, async (open) => {
    const all: SessionResult[] = [];
    const orders = new CommonOrder(orderRequest(flags), baseline);
    const measure = async ({ path, opened }: Waiting) => {
      const orderOf = orders.of;
      const measured: SessionResult =
        'unread' in opened
          ? { name: path, measurements: [], ...opened }
          : {
              name: path,
              measurements: await measureAll(context, opened, objective, flags, isDrawn, {
                ...about,
                orderOf,
              }),
              ...(opened.session && {
                names: eventNames(opened.session),
                events: opened.session.size,
              }),
            };
      all.push(measured);
      if ('session' in opened && opened.session) vocabularies.push(vocabularyOf(opened.session));
      // Shows results while a long measurement continues.
      if (isStreamed && measured.unread === undefined) {
        io.stdout.write(`${sessionText(measuredSession(measured), look)}\n`);
      }
    };
    let waiting: Waiting[] = [];
    for (const path of paths) {
      const opened = await open(path);
      waiting.push({ path, opened });
      if ('session' in opened && opened.session) orders.add(opened.session);
      if (!orders.isKnown) continue;
      for (const one of waiting) await measure(one);
      waiting = [];
    }
    for (const one of waiting) await measure(one);
    return all;
  });
  const findings = decidingFindingsByMeasurement(design.source, objective, vocabularies, settings);
  const failVacuous = flags.failVacuous === true || settings.failVacuous;
  const result = { objective: objective.name, sessions, findings, failVacuous };
  const document = measurementDocument(result);
  const plain = resultLook({ ...contextFor(io, io.stdout, false) });
  const texts = {
    pretty: (onStdout: boolean) =>
      onStdout && isStreamed
        ? headlineText(document, look) + closingText(document, look)
        : measureText(document, onStdout ? look : plain),
    json: () => toVersionedJson(measureToJson(result)),
    junit: () => formatJunit(testsOfMeasurements(document, plain, failVacuous)),
    markdown: () => renderMeasurementMarkdown(document, plain),
    html: async () => (await import('../../report/index.js')).renderMeasurementReport(document),
  };
  await writeReports(io, reports, (format, onStdout) => texts[format](onStdout));
  const isVacuous = failVacuous && document.overall.some(({ vacuity }) => vacuity.length > 0);
  if (isVacuous) io.stderr.write(VACUOUS_FAILURE);
  return exitCodeOf(sessions, isVacuous);
};

/** A session that cannot be measured until the order of all sessions is known. */
interface Waiting {
  readonly path: string;
  readonly opened: Awaited<ReturnType<OpenSession>>;
}

async function measureAll(
  { io }: CommandContext,
  recording: OpenedSession,
  { measurements }: Objective,
  { evidence }: FlagsOf<typeof options>,
  wantsPictures: boolean,
  {
    orderOf,
    ...about
  }: {
    readonly baseline: readonly Session[];
    readonly expected: readonly string[];
    readonly orderOf: CommonOrder['of'];
  },
): Promise<MeasuredObjective[]> {
  const progress = startProgress(io, measurements.length, 'measurements');
  const measured: MeasuredObjective[] = [];
  for (const { name, shouldPass, check, metadata } of measurements) {
    const evaluation = await recording.evaluate(check.expression, {
      ...{ evidence, expects: shouldPass ? 'holds' : 'fails', nearMisses: 'always' },
      ...about,
      order: orderOf(check.expression),
      onProgress: progress.part,
    });
    const one: MeasuredObjective = {
      ...{ name, shouldPass, evaluation, asked: requiredNamesByLabel(check.expression) },
      ...(metadata && { metadata }),
    };
    const { session } = recording;
    const failed = measuredVerdict(one) === 'failed';
    const excerpts = failed ? excerptsOf(session, evaluation) : undefined;
    const shown = failed ? picturedEvidence(evaluation.evidence) : undefined;
    const picture = wantsPictures && shown && session ? pictureOf(session, shown) : undefined;
    measured.push({ ...one, ...(excerpts && { excerpts }), ...(picture && { picture }) });
    progress.step();
  }
  progress.end();
  return measured;
}

function exitCodeOf(sessions: readonly SessionResult[], isVacuous: boolean): ExitCode {
  if (sessions.some(({ unread }) => unread !== undefined)) return exitCodes.usage;
  const verdict = combinedVerdict(
    sessions.flatMap(({ measurements }) => measurements.map(measuredVerdict)),
  );
  if (verdict === 'failed' || isVacuous) return exitCodes.findings;
  return verdict === 'undecided' ? exitCodes.unavailable : exitCodes.ok;
}
