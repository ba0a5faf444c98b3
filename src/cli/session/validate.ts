import { plural, versioned, visible } from '../../reporters/index.js';
import type { SessionReading } from '../../session/index.js';
import { type Configure, exitCodes, type Run } from '../runtime/command.js';
import { addFormatOption, type FormatFlags } from '../runtime/options.js';
import {
  addFormFlags,
  droppedText,
  problemLines,
  readSessionAt,
  type SessionFlags,
} from './read-source.js';

interface Checked {
  readonly path: string;
  readonly reading: SessionReading;
}

export const help = `
Exit codes: 0 all sessions are valid, 1 something is broken, 2 wrong usage.

Example:
  perturb session validate flight7.session.jsonl flight8.session.jsonl.gz
`;

export const configure: Configure = (command) => {
  command.argument(
    '<source...>',
    'sessions, in any format that "perturb session import" reads; - for stdin',
  );
  addFormatOption(addFormFlags(command));
};

export const run: Run<Omit<SessionFlags, 'tolerant'> & FormatFlags, [readonly string[]]> = async (
  context,
  [paths],
  flags,
) => {
  const { io } = context;
  const checked: Checked[] = [];
  for (const path of paths) {
    const { session, ...reading } = await readSessionAt(context, path, flags);
    checked.push({ path, reading });
    if (flags.format === 'pretty') {
      io.stdout.write(problemLines(path, reading));
      io.stdout.write(summary(path, reading, session?.size));
    }
  }
  if (flags.format === 'json') io.stdout.write(versioned({ files: checked.map(toJson) }));
  const isWhole = checked.every(({ reading }) => reading.problems.length === 0);
  return isWhole ? exitCodes.ok : exitCodes.findings;
};

function summary(path: string, { dropped, problems }: SessionReading, events = 0): string {
  if (problems.length === 0) return `${visible(path)}: valid, ${plural(events, 'event')}\n`;
  return `${visible(path)}: broken: ${droppedText(dropped)}\n`;
}

function toJson({ path, reading: { format, problems, dropped } }: Checked): object {
  return {
    file: path,
    format,
    whole: problems.length === 0,
    problems: problems.map(({ line, column, message }) => ({ line, column, message })),
    broken: { records: dropped.record, events: dropped.event, interactions: dropped.interaction },
  };
}
