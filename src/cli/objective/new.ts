import { readFileSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { PerturbError, visible } from '../../basics/index.js';
import { quote, suggest } from '../../diagnostics/index.js';
import { type Catalog, selectByTags } from '../../mutators/model/index.js';
import { formatObjective } from '../../objective/fmt/index.js';
import { newObjective, type ObjectiveMutators } from '../../objective/index.js';
import { reporters } from '../../reporters/index.js';
import { decodeSource } from '../../source/index.js';
import { version } from '../../version.js';
import { type Config, findUpwards, readConfig } from '../config/config.js';
import { loadMutators, type Mutators, mutatorOptions } from '../config/sources.js';
import { writeNamedFile, writeNewFile } from '../files/write-file.js';
import {
  type CommandContext,
  type CommandHandler,
  exitCodes,
  usageFailure,
} from '../runtime/command.js';
import { argument, type FlagsOf, option, repeatedOption } from '../runtime/declare.js';
import { configOption } from '../runtime/options.js';
import { slugOf } from './load.js';

/** A question with its expression, for use as a measurement. */
interface Question {
  readonly name: string;
  readonly check: string;
}

type Flags = FlagsOf<typeof options>;

export const help = `
With mutators, the objective has a table for each mutator, with its parameters'
permitted values.
Exit codes: 0 written, 1 a manifest has errors, 2 invalid usage or the file exists,
4 a mutator source is unavailable.

Examples:
  perturb objective new "Drone in wind"
  perturb objective new "Drone in wind" --mutators bench/mutators.toml --tag drone
  perturb objective new "Drone in wind" --mutators http://127.0.0.1:8080 -o wind.toml
`;

export const args = [argument('<name>', 'the name of the objective')] as const;

export const options = [
  ...mutatorOptions('write a table for each mutator'),
  repeatedOption('--tag <tag>', 'only the mutators with this tag; may be repeated', 'any'),
  repeatedOption('--probe <probe>', 'only the mutators at this probe; may be repeated', 'any'),
  option('-o, --output <path>', 'the file to write, - for stdout (default: derived from the name)'),
  option(
    '--question <question>',
    'use this question from docs/questions.md instead of an example',
    { read: numberedQuestion },
  ),
  option('--force', 'overwrite the file if it exists'),
  configOption,
] as const;

export const run: CommandHandler<typeof args, typeof options> = async (context, [name], flags) => {
  const { io } = context;
  if (name.trim() === '') throw usageFailure('the name is empty');
  const config = await readConfig(context, flags.config);
  const mutators = await loadThose(context, flags, config);
  if (mutators.findings.length > 0 && mutators.catalog === undefined) {
    const { findings, rules } = mutators;
    io.stderr.write(reporters.compact({ findings, fileCount: 1, rules, version }));
    return exitCodes.findings;
  }
  const { catalog } = mutators;
  if (catalog === undefined && flags.tag.length + flags.probe.length > 0) {
    throw usageFailure(
      '--tag and --probe select mutators, but there are no mutators',
      'Pass a source with --mutators, or list it in perturb.toml.',
    );
  }
  const options = catalog && select(catalog, flags);
  const output = flags.output ?? `${slugOf(name, 'new')}.objective.toml`;
  const schema = schemaFor(output === '-' ? io.cwd : dirname(resolve(io.cwd, output)));
  const draft = newObjective(name, {
    ...options,
    ...(schema !== undefined && { schema }),
    ...(flags.question && { measurements: [flags.question] }),
  });
  // Reformats the questions, because docs/questions.md lays them out for reading.
  const text = formatObjective(decodeSource(output, Buffer.from(draft)))?.text ?? draft;
  if (output === '-') {
    io.stdout.write(text);
    return exitCodes.ok;
  }
  if (flags.force) writeNamedFile(io.cwd, output, Buffer.from(text));
  else if (!writeNewFile(io.cwd, output, text)) {
    const help = 'Choose another name with --output, or overwrite it with --force.';
    throw usageFailure(`${output} exists`, help);
  }
  io.stdout.write(`created ${io.stdout.isTTY === true ? visible(output) : output}\n`);
  return exitCodes.ok;
};

/**
 * Loads the mutators named by the flags, otherwise those in perturb.toml. Returns no mutators if a
 * source in perturb.toml cannot be reached.
 */
async function loadThose({ io }: CommandContext, flags: Flags, config: Config): Promise<Mutators> {
  try {
    return await loadMutators(io, flags, config);
  } catch (error) {
    const isAsked = flags.mutators.length + flags.tag.length + flags.probe.length > 0;
    if (isAsked || !(error instanceof PerturbError) || error.exitCode !== exitCodes.unavailable) {
      throw error;
    }
    io.stderr.write(`perturb: warning: written without mutators: ${visible(error.message)}\n`);
    return { findings: [], rules: [] };
  }
}

/** Returns the questions in docs/questions.md by number, each with its first expression. */
export function readQuestions(): ReadonlyMap<string, Question> {
  const path = findUpwards(import.meta.dirname, 'docs/questions.md');
  if (path === undefined) throw new Error('the installed package has no docs/questions.md');
  const found = readFileSync(path, 'utf8').matchAll(
    /^\*\*(\d+)\. ([^*]+?):?\*\*[\s\S]*?^```trace\n([^`]+)\n```$/gm,
  );
  return new Map([...found].map(([, at = '', name = '', check = '']) => [at, { name, check }]));
}

/**
 * Returns a question by its number.
 *
 * @throws InvalidArgumentError if there is none
 */
export function numberedQuestion(text: string): Question {
  const questions = readQuestions();
  const question = questions.get(text);
  if (question !== undefined) return question;
  throw new InvalidArgumentError(`Expected a number from 1 to ${questions.size}.`);
}

/**
 * Returns the path of the editor schema in the nearest installed package; undefined if neither the
 * directory nor an ancestor contains the package.
 */
function schemaFor(directory: string): string | undefined {
  const path = findUpwards(directory, 'node_modules/perturb/grammar/objective.schema.json');
  return path && relative(directory, path).split(sep).join('/');
}

/** Selects mutators by the tags and probes in the flags. Without flags, selects all mutators. */
function select(catalog: Catalog, { tag, probe }: Flags): ObjectiveMutators {
  const { mutators } = catalog;
  const probes = new Set(mutators.flatMap((mutator) => mutator.probe ?? []));
  for (const one of tag) known('tag', one, catalog.tags);
  for (const one of probe) known('probe', one, probes);
  const tagged = tag.length === 0 ? mutators : selectByTags(mutators, tag);
  const selected = tagged.filter(
    (mutator) => probe.length === 0 || probe.includes(mutator.probe ?? ''),
  );
  if (selected.length > 0) return { catalog, selected, tags: [...new Set(tag)] };
  throw usageFailure(
    mutators.length === 0
      ? 'the sources have no mutators'
      : 'no mutator matches both --tag and --probe',
  );
}

function known(noun: string, word: string, all: ReadonlySet<string>): void {
  if (all.has(word)) return;
  const help = suggest(word, [...all]) ?? `No mutator has a ${noun}.`;
  throw usageFailure(`no mutator has the ${noun} ${quote(word)}`, help);
}
