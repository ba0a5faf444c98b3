import { type Command, Option } from 'commander';
import { applyLevels, arrange, count } from '../../diagnostics/index.js';
import { bindings, type Evaluation } from '../../evaluation/index.js';
import { check, type Expression, expressionRules } from '../../expression/index.js';
import { readConfig } from '../config/read-config.js';
import { report } from '../files/report.js';
import type { Context } from '../runtime/command.js';
import { type ExitCode, exitCodes } from '../runtime/exit-codes.js';
import { addSourceFlags, type SourceFlags } from '../session/read-source.js';
import { addFormatOption, type FormatFlags } from '../terminal/output-format.js';
import { versioned } from '../terminal/versioned-json.js';
import { drawEvidence } from '../verdict/draw-evidence.js';
import { addEngineOption, type EngineFlags, engineOf } from '../verdict/engine.js';
import { bindingToJson, evaluationToJson } from '../verdict/evaluation-json.js';
import { bindingsTable, evaluationText } from '../verdict/evaluation-text.js';
import { verdictLook } from '../verdict/paint.js';
import { readRecording } from '../verdict/read-recording.js';
import { addBudgetOption, type BudgetFlags, wholeNumber } from '../verdict/search-options.js';
import { sourceOf } from './expression-source.js';

interface Flags extends SourceFlags, FormatFlags, EngineFlags, BudgetFlags {
  readonly bindings?: number;
  readonly config?: string;
}

export const hints = {
  'commander.excessArguments':
    'Quote the expression, as in perturb expression eval "MATCH (name = \'CRASH\') AS crash" FILE.',
};

export const completions = { engine: ['embedded'] };

export function configure(command: Command): void {
  command
    .argument('<expression>', 'the expression, a file that holds it, or - for stdin')
    .argument('<session>', 'a session, in any format that "perturb session import" reads')
    .addOption(new Option('--bindings <n>', 'list the first n bindings').argParser(wholeNumber));
  command.option(
    '--config <path>',
    'the perturb.toml to use; by default the nearest one, here or above',
  );
  addFormatOption(addSourceFlags(addBudgetOption(addEngineOption(command)))).addHelpText(
    'after',
    `
Exit codes: 0 it holds, 1 it does not hold or has errors, 2 wrong usage or the
session cannot be read, 4 undecided.

Examples:
  perturb expression eval "MATCH (name = 'CRASH') AS crash" flight7.session.jsonl
  perturb expression eval gusts.trace flight7.session.jsonl --bindings 10
`,
  );
}

export async function run(
  context: Context,
  [argument, path]: readonly [string, string],
  flags: Flags,
): Promise<ExitCode> {
  const { io, color } = context;
  const engine = engineOf(flags.engine);
  const file = await sourceOf(io, argument);
  const { levels } = await readConfig(context, flags.config);
  const checked = check(file.text, { role: 'check', place: () => file });
  const { expression } = checked;
  const findings = arrange(applyLevels(checked.findings, levels));
  if (expression === undefined || count(findings).errors > 0) {
    const rules = expressionRules.map(({ meta }) => meta);
    const noun = 'expression' as const;
    const outcome = { findings, fileCount: 1, noun, rules, unread: [] };
    return report(io, color, { format: [{ format: flags.format }] }, outcome);
  }
  const recording = await readRecording(context, path, flags);
  if ('unread' in recording) return exitCodes.usage;
  const { session } = recording;
  const evaluation = await engine.evaluate(session, expression, {
    evidence: 1,
    budget: flags.budget,
  });
  const listed =
    flags.bindings === undefined ? undefined : bindings(session, expression, flags.bindings, flags);
  if (flags.format === 'json') {
    io.stdout.write(
      versioned({
        status: evaluation.status,
        ...evaluationToJson(evaluation),
        ...(listed !== undefined && { listed: listed.map(bindingToJson) }),
      }),
    );
    return exitCodeOf(evaluation);
  }
  const look = verdictLook(context);
  const labels = labelsOf(expression);
  const shown =
    flags.bindings === undefined
      ? drawEvidence(session, evaluation, look)
      : listed === undefined
        ? 'the bindings are not known within the budget\n'
        : bindingsTable(labels, listed, look);
  io.stdout.write(evaluationText(evaluation, look));
  if (shown !== '') io.stdout.write(`\n${shown}`);
  return exitCodeOf(evaluation);
}

function labelsOf({ match }: Expression): readonly string[] {
  return match.patterns.map(({ label }) => label.text);
}

function exitCodeOf({ status }: Evaluation): ExitCode {
  if (status === 'undecided') return exitCodes.unavailable;
  return status === 'holds' ? exitCodes.ok : exitCodes.findings;
}
