import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Session, writeNeutral } from '../../session/index.js';
import { type Configure, fileFailure, type Run } from '../runtime/command.js';
import { addSessionFlags, type SessionFlags, withSession } from './read-source.js';

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
  const { cwd, stdout } = context.io;
  const { out = '-' } = flags;
  return withSession(context, path, flags, 'nothing was written: ', async (read) => {
    const source = path === '-' ? {} : { source: read.source ?? basename(path) };
    const session = { ...read, ...source };
    if (out !== '-') await writeFile(resolve(cwd, out), out, session);
    else for (const piece of writeNeutral(session)) stdout.write(piece);
  });
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
    throw fileFailure('write', shown, error);
  }
}
