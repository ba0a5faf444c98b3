import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Session, writeNeutral } from '../../session/index.js';
import {
  CommandFailure,
  type Configure,
  exitCodes,
  fileErrorReason,
  type Run,
} from '../runtime/command.js';
import {
  addSessionFlags,
  droppedText,
  problemLines,
  readSessionAt,
  type SessionFlags,
} from './read-source.js';

interface Flags extends SessionFlags {
  readonly out?: string;
}

export const help = `
Writes the neutral form, JSON Lines, to stdout unless --out names a file. A source
that is compressed with gzip is recognized, whatever its name.

Exit codes: 0 done, 1 something is broken (nothing is written), 2 wrong usage.

Examples:
  perturb session import traces.json --out checkout.session.jsonl
  perturb session import server.log --pattern '^(?<clock>{.*}) (?<host>\\S+): (?<event>.*)$'
`;

export const configure: Configure = (command) => {
  command.argument(
    '<source>',
    'a session, OTLP JSON, a log with vector clocks, Jaeger JSON or Zipkin JSON; - for stdin',
  );
  command.option(
    '-o, --out <file>',
    'where to write the session; compressed if the name ends with .gz',
  );
  addSessionFlags(command);
};

export const run: Run<Flags, [string]> = async (context, [path], flags) => {
  const { io } = context;
  const reading = await readSessionAt(context, path, flags);
  const { session: read, dropped } = reading;
  io.stderr.write(problemLines(path, reading));
  if (read === undefined) {
    io.stderr.write(
      `perturb: nothing was written: --tolerant would leave out ${droppedText(dropped)}\n`,
    );
    return exitCodes.findings;
  }
  const session: Session = {
    ...read,
    ...(path !== '-' && { source: read.source ?? basename(path) }),
  };
  if (flags.out === undefined || flags.out === '-') {
    for (const piece of writeNeutral(session)) io.stdout.write(piece);
  } else {
    await writeFile(resolve(io.cwd, flags.out), flags.out, session);
  }
  if (droppedText(dropped) !== '') io.stderr.write(`perturb: left out ${droppedText(dropped)}\n`);
  return exitCodes.ok;
};

/** Writes a session in one step: a reader sees all of it, or what was there before. */
async function writeFile(path: string, shown: string, session: Session): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    const text = Readable.from(writeNeutral(session), { objectMode: false });
    const file = createWriteStream(temporary, { flags: 'wx' });
    if (path.endsWith('.gz')) await pipeline(text, createGzip(), file);
    else await pipeline(text, file);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new CommandFailure(exitCodes.usage, `cannot write ${shown}: ${fileErrorReason(error)}`);
  }
}
