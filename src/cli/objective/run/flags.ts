import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { EventSource, StrategyName } from '../../../runner/index.js';
import { defaultProbeOf } from '../../../session/files/index.js';
import type { Reading } from '../../../session/index.js';
import type { OwnServer } from '../../config/server.js';
import { serverOptions } from '../../config/sources.js';
import { resultOptions } from '../../files/report.js';
import { isRegularFile } from '../../files/walk.js';
import { usageFailure } from '../../runtime/command.js';
import { argument, type FlagsOf, option, repeatedOption } from '../../runtime/declare.js';
import {
  budgetOption,
  configOption,
  countAfterDashes,
  durationOption,
  failVacuousOption,
  parseMilliseconds,
  parseWholeNumber,
} from '../../runtime/options.js';
import { IN_ANY_FORMAT, orderOptions } from '../../session/read-source.js';
import { readingOption } from '../../session/reading.js';
import { onlyOption } from '../only.js';

/** Default maximum duration of an attempt. */
export const ATTEMPT_TIME = { ms: 30_000, text: '30s' } as const;
/** The strategies offered for new runs, the default first. Older runs may have other strategies. */
const OFFERED_STRATEGIES = [
  'guided',
  'pairwise',
  'uniform',
] as const satisfies readonly StrategyName[];
/** Number of possible seeds. */
const SEEDS = 2n ** 64n;
/** Matches the value of `--events` for OTLP over HTTP. */
export const OTLP = /^otlp(?::(\d{1,5}))?$/;
/** Default port for OTLP over HTTP. */
const OTLP_PORT = 4318;

export const runArguments = [
  argument('[objective]', 'a file, or NAME[@REVISION] in the store'),
  argument('[command...]', 'after --: command for each attempt; events go to $PERTURB_SESSION'),
] as const;

/** The options of `objective run`. */
export const runOptions = [
  repeatedOption(
    '-s, --server <server>',
    'a mutator server: its URL, or its name in perturb.toml; may be repeated',
    'the servers in perturb.toml',
  ),
  option('--serve <manifest>', "serve this manifest's mutators during the run").conflicts([
    'server',
    'bench',
  ]),
  repeatedOption(
    '--bench <bench>',
    'a bench of perturb.toml, or all: attempts run on all of them in parallel; may be repeated',
    'none',
  ).conflicts('server'),
  repeatedOption(
    '--expect <mutator>',
    'wait until the servers have this mutator, NAME[@PROBE]; may be repeated',
    'none',
    mutatorName,
  ),
  option('--out <directory>', 'directory for the run (default: below .perturb/runs)'),
  option(
    '--resume <directory>',
    'resume the run in this directory, start a run if there is none, or show a run that has ended',
  ),
  option('--seed <number>', 'seed for choosing mutation sets (default: a random number)', {
    read: parseSeed,
  }),
  option('--strategy <name>', 'method for choosing mutation sets', {
    choices: OFFERED_STRATEGIES,
    shownDefault: OFFERED_STRATEGIES[0],
  }),
  repeatedOption(
    '--events <events>',
    `source of events: a growing file, ${IN_ANY_FORMAT}, or otlp[:PORT] for OTLP over HTTP; may be repeated`,
    'the file that PERTURB_SESSION names',
  ),
  repeatedOption(
    '--poll <url>',
    'URL to poll during attempts, or NAME=URL to set the probe (default: poll); tcp://HOST:PORT only connects; may be repeated',
    'none',
  ),
  readingOption,
  option(
    '--attempt-time <duration>',
    `maximum duration of an attempt (default: ${ATTEMPT_TIME.text})`,
    { read: parseMilliseconds },
  ),
  option('--baseline <n>', 'runs of the command without mutations before the first attempt', {
    read: parseWholeNumber,
    byDefault: 1,
  }),
  durationOption(
    '--patience <duration>',
    'how long to keep retrying an unresponsive server',
    '1min',
  ),
  option('--tolerant', 'skip session lines that are not events'),
  failVacuousOption('attempts'),
  option(
    '--allow-unused',
    'accept planned mutators that were never in force in an attempt that counted',
  ),
  onlyOption,
  option('--wait', 'wait until no other run uses the servers'),
  option('--attempts <n>', 'stop after this many attempts, even if the objective permits more', {
    read: parseAttemptCount,
  }),
  option('--plan', 'show the first sets and their coverage, and change nothing'),
  option('--shrink', 'minimize failing sets: find the required mutations and values'),
  option(
    '--repeat <how>',
    'repeat sets that failed or nearly failed until their failure rate is clear',
    { choices: ['auto'] },
  ),
  option('--store <store>', 'the store, as sqlite:PATH or postgres://HOST/DATABASE'),
  ...orderOptions,
  configOption,
  budgetOption,
  ...resultOptions,
  ...serverOptions,
] as const;

/** The parsed flags of `objective run`. */
export type RunFlags = Omit<FlagsOf<typeof runOptions>, 'budget'> & {
  /** Absent if the run's record contains the budget. */
  readonly budget?: number;
  /** Time limit for minimizing a set; not a flag. */
  readonly shrinkMs?: number;
  /** The flags that the user set. Defaults yield to perturb.toml and to the settings of a resumed run. */
  readonly given?: readonly string[];
  /** The server started for the run; not a flag. */
  readonly own?: OwnServer | undefined;
};

/** Records which flags the user set, and accepts a command after `--` without an objective. */
export function prepareRunFlags(command: Command): void {
  command.hook('preAction', (_, asked) => takeCommandAlone(asked));
  recordGivenFlags(command);
}

/** Stores the names of the flags that the user set in `given`, because a value alone may be a default. */
export function recordGivenFlags(command: Command): void {
  command.hook('preAction', (_, asked) => {
    const names = asked.options.map((option) => option.attributeName());
    const given = names.filter((name) => asked.getOptionValueSource(name) === 'cli');
    asked.setOptionValue('given', given);
  });
}

/** Treats the words after `--` as the command, without an objective, if only flags precede `--`. */
function takeCommandAlone(asked: Command): void {
  if (countAfterDashes(asked) === asked.args.length) {
    asked.processedArgs = [undefined, asked.args];
  }
}

/** Parses an attempt count, at least 1. */
export function parseAttemptCount(text: string): number {
  const value = parseWholeNumber(text);
  if (value === 0) throw new InvalidArgumentError('Expected at least 1.');
  return value;
}

/**
 * Refuses an empty name, such as the value of an unset variable, because no mutator has an empty
 * name.
 */
function mutatorName(text: string): string {
  if (text === '') {
    throw new InvalidArgumentError('Expected the name of a mutator, NAME or NAME@PROBE.');
  }
  return text;
}

export function parseSeed(text: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : SEEDS;
  if (value >= SEEDS) throw new InvalidArgumentError('Expected a whole number below 2^64.');
  return value;
}

/**
 * Parses `--events`: `otlp`, `otlp:PORT`, or a file, which need not exist yet.
 *
 * @param reading the file's reading
 * @param bench separates the benches: its name replaces `{bench}` in the file's name, and its
 *   position is added to the port
 * @throws CommandFailure (usage) for any other text
 */
export function readEventSource(
  cwd: string,
  text: string,
  reading: Reading,
  bench?: { readonly name: string; readonly place: number; readonly isOnly: boolean },
): EventSource {
  const otlp = OTLP.exec(text);
  if (otlp === null) {
    if (bench !== undefined && !bench.isOnly && !text.includes('{bench}')) {
      throw usageFailure(
        `several benches cannot share the events of ${text}`,
        "Write {bench} in place of the bench's name.",
      );
    }
    const named = bench === undefined ? text : text.replaceAll('{bench}', bench.name);
    const path = resolve(cwd, named);
    // Opening a named pipe would wait for a writer, and a directory has no events.
    if (!existsSync(path) || isRegularFile(path)) {
      return { kind: 'file', path, name: named, probe: defaultProbeOf(path), reading };
    }
    throw usageFailure(
      `${named} is not a regular file, so no events can be read from it`,
      'Pass a growing file, or otlp to receive events by OTLP.',
    );
  }
  const port = Number(otlp[1] ?? OTLP_PORT) + (bench?.place ?? 0);
  if (port < 65536) return { kind: 'otlp', port };
  throw usageFailure(`${port} is not a port`, 'A port is at most 65535.');
}
