import type { Command } from 'commander';
import { visible } from '../../basics/index.js';
import { chooseOrder } from '../../evaluation/index.js';
import {
  DivergenceSearch,
  findDifferences,
  findMostSimilar,
  Profiles,
} from '../../explain/index.js';
import { contrastDocument, divergencePart } from '../../results/index.js';
import type { Session } from '../../session/index.js';
import { printContrast } from '../files/print-contrast.js';
import {
  type CommandContext,
  type CommandHandler,
  exitCodes,
  usageFailure,
} from '../runtime/command.js';
import { argument } from '../runtime/declare.js';
import { configOption, countAfterDashes, documentFormatOption } from '../runtime/options.js';
import {
  evidenceOptions,
  IN_ANY_FORMAT,
  orderRequest,
  problemLines,
  readSessionAt,
  type SessionFlags,
  unreadableReason,
} from './read-source.js';
import { type ReadingOf, readingsIn } from './reading.js';

export const help = `
Compares failing sessions with passing ones: the events, times and values that differ
most, and where the first failing session diverges from the most similar passing one.
The p values are corrected for all comparisons. With a single session of each kind,
differences may be due to chance.

Exit codes: 0 done, 1 a session is broken, 2 invalid usage.

Examples:
  perturb session compare good.session.jsonl -- bad.session.jsonl
  perturb session compare --format markdown passed/*.json -- failed/*.json
`;

export const args = [
  argument('<source...>', `passing sessions, then --, then failing ones, ${IN_ANY_FORMAT}`),
] as const;

export const options = [...evidenceOptions, configOption, documentFormatOption] as const;

/** Stores the number of sessions after `--` as the option `failing`. */
export function prepare(command: Command): void {
  command.hook('preAction', (_, asked) => {
    asked.setOptionValue('failing', countAfterDashes(asked) ?? 0);
  });
}

export const run: CommandHandler<typeof args, typeof options> = async (context, [paths], flags) => {
  const { failing } = flags as typeof flags & { readonly failing: number };
  const [good, bad] = [paths.slice(0, paths.length - failing), paths.slice(paths.length - failing)];
  const [first] = bad;
  if (first === undefined || good.length === 0) {
    throw usageFailure(
      'name the passing sessions, then --, then failing ones',
      'For example: perturb session compare good.session.jsonl -- bad.session.jsonl',
    );
  }
  const readingOf = await readingsIn(context, flags);
  const read = (path: string) => readWhole(context, path, readingOf, flags);
  const own = await read(first);
  if (own === undefined) return exitCodes.findings;
  const profiles = new Profiles(chooseOrder([own], orderRequest(flags)).by);
  const all = [...bad, ...good];
  for (const path of all) {
    const session = path === first ? own : await read(path);
    if (session === undefined) return exitCodes.findings;
    profiles.add(session);
  }
  const features = profiles.measured();
  const failed = all.map((_, n) => n < bad.length);
  const places = [...all.keys()].slice(bad.length);
  const nearest = all[findMostSimilar(features, 0, places)] as string;
  const other = await read(nearest);
  if (other === undefined) return exitCodes.findings;
  const search = new DivergenceSearch(own, other);
  for (const path of good) {
    const session = path === nearest ? undefined : await read(path);
    if (session !== undefined) search.add(session);
  }
  const divergence = search.first();
  const document = contrastDocument(
    { failing: bad.length, passing: good.length },
    findDifferences(features, failed),
    divergence &&
      divergencePart(
        divergence,
        { name: first, session: own },
        { name: nearest, session: other },
        'session',
      ),
  );
  printContrast(context, flags, document);
  return exitCodes.ok;
};

/** Reads a session. For a broken session, reports the problems to stderr and returns undefined. */
async function readWhole(
  context: CommandContext,
  path: string,
  readingOf: ReadingOf,
  flags: SessionFlags,
): Promise<Session | undefined> {
  const reading = await readSessionAt(context, path, readingOf, flags);
  if (reading.session !== undefined) return reading.session;
  const { stderr } = context.io;
  stderr.write(problemLines(path, reading));
  stderr.write(`perturb: nothing was compared: ${visible(path)}: ${unreadableReason(reading)}\n`);
  return undefined;
}
