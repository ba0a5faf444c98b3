import { applyLevels, arrange, count, type Finding } from '../../diagnostics/index.js';
import { chooseOrder, type Evaluation, orderFor } from '../../evaluation/index.js';
import { check, type Expression, requiredNamesByLabel } from '../../expression/index.js';
import {
  bindingsTable,
  drawEvidence,
  evaluationToJson,
  findingsText,
  findingsToJson,
  formatEvaluation,
} from '../../reporters/results/index.js';
import { resultLook } from '../../reporters/terminal/index.js';
import { describeVacuity, evaluationPart, vacuities } from '../../results/index.js';
import { eventNames, type Session, vocabularyOf } from '../../session/index.js';
import {
  type CommandContext,
  type CommandHandler,
  type ExitCode,
  exitCodes,
  refuseExpressionWithoutVerdict,
} from '../runtime/command.js';
import { argument, type FlagsOf, option } from '../runtime/declare.js';
import { contextFor, printResult } from '../runtime/io.js';
import { configOption, formatOption, parseWholeNumber } from '../runtime/options.js';
import { startProgress } from '../runtime/progress.js';
import { decidingFindingsIn, recordedVocabulary } from '../session/deciding.js';
import {
  baselineOption,
  evaluationOptions,
  excerptsOf,
  type OpenedSession,
  readBaseline,
  withEngine,
} from '../session/engine.js';
import { IN_ANY_FORMAT, orderRequest } from '../session/read-source.js';
import { checkArgument, reportExpression } from './expression-source.js';

export const hints = {
  'commander.excessArguments':
    'Quote the expression, as in perturb expression eval "MATCH (name = \'CRASH\') AS crash" FILE.',
};

export const help = `
Exit codes: 0 it holds, 1 it does not hold or has errors, 2 invalid usage or the
session cannot be read, 4 undecided, or the engine is unavailable.

Examples:
  perturb expression eval "MATCH (name = 'CRASH') AS crash" flight7.session.jsonl
  perturb expression eval gusts.trace flight7.session.jsonl --bindings 10
`;

export const args = [
  argument('<expression>', 'the expression, its file, or - for stdin'),
  argument('<session>', `a session, ${IN_ANY_FORMAT}; - for stdin`),
] as const;

export const options = [
  option('--bindings <n>', 'list the first n bindings', { read: parseWholeNumber }),
  baselineOption,
  configOption,
  ...evaluationOptions,
  formatOption(),
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (
  context,
  [argument, path],
  flags,
) => {
  const { file, config, ...checked } = await checkArgument(context, argument, flags, 'check');
  const { expression, findings } = checked;
  if (expression === undefined || count(findings).errors > 0) {
    return reportExpression(context, flags, findings, {});
  }
  refuseExpressionWithoutVerdict(file.text, 'check');
  const baseline = await readBaseline(context, flags.baseline ?? [], flags);
  if (baseline === undefined) return exitCodes.usage;
  return withEngine(context, flags, async (open) => {
    const recording = await open(path);
    if ('unread' in recording) return exitCodes.usage;
    const { session } = recording;
    const recorded = session && recordedVocabulary([vocabularyOf(session)], config);
    const { levels } = config;
    const { findings } = check(file.text, {
      ...{ role: 'check', place: () => file, levels },
      ...(recorded && { recorded }),
    });
    const deciding = decidingFindingsIn(arrange(applyLevels(findings, levels)));
    const about = { baseline, expected: config.expected };
    return show(context, recording, expression, flags, about, deciding);
  });
};

async function show(
  context: CommandContext,
  recording: OpenedSession,
  expression: Expression,
  flags: FlagsOf<typeof options>,
  about: { readonly baseline: readonly Session[]; readonly expected: readonly string[] },
  findings: readonly Finding[],
): Promise<ExitCode> {
  const progress = startProgress(context.io, 1, 'expressions');
  const sessions = [...(recording.session ? [recording.session] : []), ...about.baseline];
  const order = orderFor(chooseOrder(sessions, orderRequest(flags)), sessions, expression);
  const evaluation = await recording.evaluate(expression, {
    evidence: 1,
    nearMisses: 'always',
    order,
    ...about,
    onProgress: progress.part,
  });
  progress.end();
  const limit = flags.bindings;
  const listed = limit === undefined ? undefined : await recording.bindings(expression, limit);
  const { status } = evaluation;
  const members = {
    ...{ status, ...evaluationToJson(evaluation) },
    listed,
    findings: findingsToJson(findings),
  };
  await printResult(context, flags, members, () => {
    const labels = expression.match.patterns.map(({ label }) => label.text);
    const look = resultLook(contextFor(context.io, context.io.stdout, context.color));
    const part = evaluationPart(evaluation, excerptsOf(recording.session, evaluation));
    const shown =
      limit === undefined
        ? drawEvidence(part, look)
        : listed === undefined
          ? 'the bindings cannot be listed within the budget\n'
          : limit === 0
            ? ''
            : bindingsTable(labels, listed, look);
    const vacuity = vacuityOf(expression, evaluation, recording);
    const text = formatEvaluation(status, part, look, vacuity);
    return [text, shown, findingsText(findings)].filter((one) => one !== '').join('\n');
  });
  if (status === 'undecided') return exitCodes.unavailable;
  return status === 'holds' ? exitCodes.ok : exitCodes.findings;
}

function vacuityOf(
  expression: Expression,
  evaluation: Evaluation,
  { session }: OpenedSession,
): string[] {
  const measured = {
    name: '',
    shouldPass: true,
    evaluation,
    asked: requiredNamesByLabel(expression),
  };
  const names = session && { names: eventNames(session) };
  return vacuities([{ name: '', measurements: [measured], ...names }]).flatMap(describeVacuity);
}
