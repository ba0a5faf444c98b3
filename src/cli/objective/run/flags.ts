import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EventSource, StrategyName } from '../../../runner/index.js';
import { addServerFlags, type ServerFlags } from '../../config/sources.js';
import { addResultFlags, type ResultFlags } from '../../files/report.js';
import { isRegularFile } from '../../files/walk.js';
import { usageFailure } from '../../runtime/command.js';
import {
  addBudgetOption,
  configOption,
  durationFlag,
  durationOption,
  failVacuousOption,
  rememberGiven,
  repeatedOption,
  wholeNumber,
} from '../../runtime/options.js';
import { onlyOption } from '../only.js';

/** The flags of `objective run`. */
export interface RunFlags extends ServerFlags, ResultFlags {
  readonly server: readonly string[];
  /** Names in perturb.toml, or `all`; none unless given. */
  readonly bench?: readonly string[];
  /** Mutators that a bench must have, as NAME[@PROBE]. */
  readonly expect: readonly string[];
  readonly out?: string;
  readonly seed?: bigint;
  readonly strategy?: StrategyName;
  readonly events?: string;
  /** In milliseconds. */
  readonly attemptTime?: number;
  /** The flags that were given: a default gives way to perturb.toml, and to what a run was begun with. */
  readonly given?: readonly string[];
  /** Overrides the number in the objective. */
  readonly attempts?: number;
  readonly plan?: true;
  readonly shrink?: true;
  readonly repeat?: 'auto';
  readonly resume?: string;
  readonly baseline: number;
  readonly tolerant?: true;
  readonly failVacuous?: true;
  /** What selects the measurements; all of them if empty. */
  readonly only: readonly string[];
  readonly wait?: true;
  /** Whether a baseline without a verdict ends the run, as `init` wants it; not a flag. */
  readonly needsBaseline?: true;
  /** In milliseconds. */
  readonly patience: number;
  /** How many steps a search may take. */
  readonly budget?: number;
  readonly config?: string;
  readonly store?: string;
}

/** The longest that an attempt may last, unless a flag or perturb.toml says otherwise. */
export const ATTEMPT_TIME = { ms: 30_000, text: '30s' } as const;
/** The first is the default. Runs that were begun with another strategy keep it. */
const OFFERED_STRATEGIES = ['guided', 'pairwise', 'uniform'] satisfies readonly StrategyName[];
/** The number of seeds. */
const SEEDS = 2n ** 64n;
/** The port that OTLP over HTTP has by default. */
const OTLP_PORT = 4318;

/** Adds the arguments and flags of `objective run` to a command. */
export function addRunFlags(command: Command): Command {
  command
    .argument('[objective]', 'a file, or NAME or NAME@REVISION of the store')
    .argument('[command...]', 'after --: what each attempt runs; events go to $PERTURB_SESSION')
    .addOption(
      repeatedOption(
        '-s, --server <server>',
        'a mutator server: its URL, or its name in perturb.toml; may be repeated',
        'those of perturb.toml',
      ),
    )
    .addOption(
      repeatedOption(
        '--bench <bench>',
        'a bench of perturb.toml, or all: attempts are made at each of them at the same time; may be repeated',
        'just the servers',
      ).conflicts('server'),
    )
    .addOption(
      repeatedOption(
        '--expect <mutator>',
        'wait until the servers have this mutator, NAME[@PROBE]; may be repeated',
        'none',
      ),
    )
    .option('--out <directory>', 'where to keep the run (default: below .perturb/runs)')
    .option(
      '--resume <directory>',
      'continue the run in this directory, begin one if there is none, or show one that has ended',
    )
    .option('--seed <number>', 'seed for choosing mutation sets (default: a random number)', seed)
    .addOption(
      new Option('--strategy <name>', 'method for choosing mutation sets')
        .choices(OFFERED_STRATEGIES)
        .default(undefined, OFFERED_STRATEGIES[0]),
    )
    .option(
      '--events <events>',
      'where events come from: a file that grows, or otlp[:PORT] for OTLP over HTTP',
    )
    .option(
      '--attempt-time <duration>',
      `the longest that an attempt may last (default: ${ATTEMPT_TIME.text})`,
      durationOption,
    )
    .option(
      '--baseline <n>',
      'how many times the command runs without mutations before the first attempt',
      wholeNumber,
      1,
    )
    .addOption(
      durationFlag(
        '--patience <duration>',
        'how long to wait for a server that does not answer',
        '1min',
      ),
    )
    .option('--tolerant', 'judge an attempt even if some lines of its session are not events')
    .addOption(failVacuousOption('attempts'))
    .addOption(onlyOption())
    .option('--wait', 'wait until no other run uses the servers')
    .option(
      '--attempts <n>',
      'stop after this many attempts, whatever the objective says',
      attemptCount,
    )
    .option('--plan', 'show the first sets and what they cover, and change nothing')
    .option('--shrink', 'make a failing set as small as possible')
    .addOption(
      new Option(
        '--repeat <how>',
        'repeat sets that failed, or came close to it, until it is clear how often they fail',
      ).choices(['auto']),
    )
    .option('--store <store>', 'the store, as sqlite:PATH or postgres://HOST/DATABASE')
    .addOption(configOption());
  command.hook('preAction', (_, asked) => takeCommandAlone(asked));
  rememberGiven(command);
  return addServerFlags(addResultFlags(addBudgetOption(command)));
}

/** If there are only flags before `--`, what follows is the command, and there is no objective. */
function takeCommandAlone(asked: Command): void {
  let root: Command = asked;
  while (root.parent !== null) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const after = rawArgs.indexOf('--');
  if (after >= 0 && rawArgs.length - after - 1 === asked.args.length) {
    asked.processedArgs = [undefined, asked.args];
  }
}

/** A number of attempts: at least one. */
export function attemptCount(text: string): number {
  const value = wholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('It takes at least 1.');
  return value;
}

function seed(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : SEEDS;
  if (value >= SEEDS) throw new InvalidArgumentError('It takes a whole number below 2^64.');
  return value;
}

/**
 * What `--events` names: `otlp`, `otlp:PORT`, or a file, which need not be there yet.
 *
 * @param bench gives each bench its own: a file with its name for `{bench}`, or the port plus its place
 * @throws Failure (usage) for anything else
 */
export function readEventSource(
  cwd: string,
  text: string,
  bench?: { readonly name: string; readonly place: number; readonly isOnly: boolean },
): EventSource {
  const otlp = /^otlp(?::(\d{1,5}))?$/.exec(text);
  if (otlp === null) {
    if (bench !== undefined && !bench.isOnly && !text.includes('{bench}')) {
      throw usageFailure(
        `several benches cannot share the events of ${text}`,
        'Write {bench} where the name of the bench belongs.',
      );
    }
    const named = bench === undefined ? text : text.replaceAll('{bench}', bench.name);
    const path = resolve(cwd, named);
    // Opening a pipe waits for a writer, and a directory has no events.
    if (!existsSync(path) || isRegularFile(path)) return { kind: 'file', path };
    throw usageFailure(
      `${named} is not a regular file, so no events can be read from it`,
      'Give a file that grows, or otlp to receive events by OTLP.',
    );
  }
  const port = Number(otlp[1] ?? OTLP_PORT) + (bench?.place ?? 0);
  if (port < 65536) return { kind: 'otlp', port };
  throw usageFailure(`${port} is not a port`, 'A port is at most 65535.');
}
